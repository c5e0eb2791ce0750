/**
 * Counts what a process does: loaded before the program, in the same process. For each message from its parent it sends
 * the counts since the last one. Counts do not flicker as times do.
 */
import { createHook } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import fs from 'node:fs';
import Libsql from 'libsql';

const none = { transactions: 0, statements: 0, sums: 0, flushes: 0, looks: 0, timers: 0, promises: 0 };
const counts = { ...none };

const { exec, prepare } = Libsql.prototype;
Libsql.prototype.exec = function (sql) {
  if (/^begin/i.test(sql)) counts.transactions += 1;
  return exec.call(this, sql);
};
Libsql.prototype.prepare = function (sql) {
  const prepared = prepare.call(this, sql);
  const sums = sql.split('sum(').length - 1;
  // `all` calls `iterate`.
  for (const name of ['run', 'iterate']) {
    const method = prepared[name].bind(prepared);
    prepared[name] = (...parameters) => {
      counts.statements += 1;
      counts.sums += sums;
      return method(...parameters);
    };
  }
  return prepared;
};

const { fdatasync } = fs;
fs.fdatasync = (...given) => {
  counts.flushes += 1;
  return fdatasync(...given);
};

diagnostics.subscribe('undici:request:create', ({ request }) => {
  if (request.path.includes('/jobs/')) counts.looks += 1;
});

/** undici sets its own. */
const ofUndici = /refreshTimeout|Parser\.setTimeout/;
createHook({
  init(_id, type) {
    if (type === 'PROMISE') counts.promises += 1;
    else if (type === 'Timeout' && !ofUndici.test(new Error().stack ?? '')) counts.timers += 1;
  },
}).enable();

process.on('message', () => {
  process.send(counts);
  Object.assign(counts, none);
});
process.channel.unref();
