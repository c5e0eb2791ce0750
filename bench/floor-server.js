/** The floor over stdio: no SDK, nothing but JSON lines and the two requests of a call. */
import { Pool } from 'undici';
import { ask, serve } from './floor.js';

const pool = new Pool(process.env.SVC_BASE_URL);

await serve(async (body) => {
  const { job_id } = JSON.parse(await ask(pool, 'POST', '/task', { body }));
  return ask(pool, 'GET', `/jobs/${job_id}`);
});
