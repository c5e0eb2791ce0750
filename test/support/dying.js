/**
 * Kills the process that it is loaded into, before the program, at the moment that SVC_TEST_DIES_AT names: `look`, when it asks for
 * the job for the first time; `end` and `ended`, before and after the commit that writes the first end; `commit 3`, before its
 * third commit.
 */
import diagnostics from 'node:diagnostics_channel';
import Libsql from 'libsql';

const diesAt = process.env.SVC_TEST_DIES_AT;
const reach = (moment) => {
  if (moment === diesAt) process.kill(process.pid, 'SIGKILL');
};

diagnostics.subscribe('undici:request:create', ({ request }) => {
  if (request.path.includes('/jobs/')) reach('look');
});

let commits = 0;
let endsJob = false;
const { exec, prepare } = Libsql.prototype;
Libsql.prototype.prepare = function (sql) {
  const prepared = prepare.call(this, sql);
  const run = prepared.run.bind(prepared);
  prepared.run = (...parameters) => {
    endsJob ||= sql.includes("set state = 'finished'");
    return run(...parameters);
  };
  return prepared;
};
Libsql.prototype.exec = function (sql) {
  if (sql === 'commit') {
    commits += 1;
    reach(`commit ${commits}`);
  }
  const isEnd = endsJob && sql === 'commit';
  if (isEnd) reach('end');
  const result = exec.call(this, sql);
  if (isEnd) reach('ended');
  return result;
};

// However slow the machine: nothing is written of an accepted job before its first look has an answer.
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = Object.assign(
  (work, ms, ...given) => wait(work, ms === 5 ? 60_000 : ms, ...given),
  wait,
);
