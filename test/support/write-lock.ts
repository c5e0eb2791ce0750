import Libsql from 'libsql';

/** Holds the write lock of a SQLite file, as a stopped process does; returns how to release it. */
export function holdWriteLock(file: string): () => void {
  const connection = new Libsql(file);
  connection.exec('begin immediate');
  return () => {
    connection.exec('rollback');
    connection.close();
  };
}
