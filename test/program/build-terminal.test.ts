/** `svc-mcp build` asks a person on a terminal for what is missing. Needs `dist/`. */
import { afterEach, describe, expect, it } from 'vitest';
import { closeBoats, goal, startBoats } from '../support/boats.ts';
import { closeGateways } from '../support/gateway.ts';
import { endPrograms, runProgram } from '../support/program.ts';
import { endTerminals, hasTerminal, runOnTerminal } from '../support/terminal.ts';

afterEach(async () => {
  await endTerminals();
  await endPrograms();
  await closeBoats();
  await closeGateways();
});

const price = 'Build it for 25 credits, refunded if the build fails? [y/N] ';

describe.skipIf(!hasTerminal)('svc-mcp build on a terminal', { timeout: 90_000 }, () => {
  it('shows the candidates, asks for columns and names, shows rows, and builds after the price', async () => {
    const { server, environment } = await startBoats();
    const person = runOnTerminal(['build', server.origin], environment);
    await person.answer('Which candidate? [r1] ', 'r7');
    await person.answer('There is no candidate r7', '');
    await person.answer('Columns (b: back to the candidates) [c1=c1 c2=c2 price=c3] ', 'boat=c1 cost=c44');
    await person.answer('candidate r1 has no such column', 'boat!=c1');
    await person.answer('is not a field name; use up to 64 letters, digits and _', 'boat=c1, c3');
    await person.answer('What does the action do? [List boat, price] ', 'Boats for sale');
    await person.answer(price, 'n');
    await person.answer('Choose other columns? [y/N] ', 'y');
    await person.answer('Which candidate? [r1] ', 'r1');
    await person.answer('Columns (b: back to the candidates) [boat=c1 price=c3] ', 'vessel=c1');
    await person.answer(price, 'y');
    expect(await person.exited).toEqual([0, null]);
    const shown = person.output();
    expect(shown).toMatch(/COLUMN +LABEL +KIND +SAMPLES/);
    expect(shown).toMatch(/BOAT +PRICE +PRICE_CURRENCY\s+Albatross +10 +GBP\s/);
    expect(shown).toMatch(
      /Publishing the action[\s\S]*VESSEL\s+Albatross\s[\s\S]*Built \S+, 1 credit a call\./,
    );
    expect((await runProgram(['jobs'], environment)).stdout).toContain('25 credits spent today');
  });

  it('lets the service match a goal, then offers its guess, and builds beside a similar action', async () => {
    const { server, environment } = await startBoats();
    const words = 'List all boats with name and engine power';
    const person = runOnTerminal(['build', server.origin, words], environment);
    await person.answer('Enter: let the service match the goal) ', '');
    await person.answer(price, 'y');
    await person.answer('CHOICE_NEEDED', '');
    await person.answer('Columns (b: back to the candidates) ', 'name=c1');
    await person.answer(price, 'yes');
    expect(await person.exited).toEqual([0, null]);
    expect(person.output()).toContain('Paid: nothing. The 25 credits were refunded.');

    const again = runOnTerminal(['build', server.origin, 'List boats with name'], environment);
    await again.answer('Enter: let the service match the goal) ', '');
    await again.answer(price, 'y');
    await again.answer('Build another one? [y/N] ', 'y');
    expect(await again.exited).toEqual([0, null]);
    expect((await runProgram(['jobs'], environment)).stdout).toContain('50 credits spent today');
  });

  it('pays nothing where the person says no or leaves; a whole order and --yes ask nothing', async () => {
    const { server, environment } = await startBoats();
    const refused = runOnTerminal(['build', server.origin, goal], environment);
    await refused.answer('Enter: let the service match the goal) ', '');
    await refused.answer(price, '');
    expect(await refused.exited).toEqual([1, null]);
    const left = runOnTerminal(['build', server.origin], environment);
    await left.answer('Which candidate? ', '\u0003');
    expect(await left.exited).toEqual([1, null]);
    expect(left.output()).toContain('Stopped: nothing was sent');
    expect((await runProgram(['jobs'], environment)).stdout).toContain('0 credits spent today');

    const choose = '{"candidate": "r1", "fields": {"boat": "c1"}}';
    const whole = runOnTerminal(['build', server.origin, goal, '--choose', choose], environment);
    expect(await whole.exited).toEqual([0, null]);
    const yes = runOnTerminal(['build', server.origin, goal, '--force', '--yes'], environment);
    expect(await yes.exited).toEqual([0, null]);
  });
});
