/** How a process notices what others publish. */
import pino from 'pino';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Publication } from '../../src/service/catalog/publication.ts';
import { openServiceDatabase } from '../../src/service/service.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { sourceOf } from '../support/service.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('the database is asked again only when it has answered', async () => {
  onTestFinished(closeGateways);
  const database = await openServiceDatabase({ dataDir: await temporaryFolder() });
  onTestFinished(() => database.close());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const publication = new Publication({
    ...{ database, source: sourceOf(), practiceUrl: undefined },
    logger: pino({ level: 'silent' }),
  });
  await publication.current();
  const stop = await publication.watch();
  onTestFinished(stop);
  const asked = vi.spyOn(database.query, 'selectFrom');
  // Ten polls, before the first answer.
  vi.advanceTimersByTime(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => {
    vi.advanceTimersByTime(500);
    expect(asked).toHaveBeenCalledTimes(2);
  }, 20_000);
});
