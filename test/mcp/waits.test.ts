import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKnownClient, getWaits, type WaitRequest } from '../../src/mcp/calls/client.ts';

const seconds = ({ clientName, ...request }: Partial<WaitRequest> & { clientName?: string }) =>
  getWaits(findKnownClient(clientName), { hasProgressToken: false, ...request }).waitMs / 1000;

/** The time-outs that the clients are known to have, in seconds. */
const timeouts = {
  'claude-ai': 60,
  'cursor-vscode': 60,
  'codex-mcp-client': 120,
  'gemini-cli-mcp-client': 600,
};

describe('the wait of a call', () => {
  it('is 45 s for unknown clients', () => {
    expect(seconds({})).toBe(45);
    expect(seconds({ clientName: 'somebody' })).toBe(45);
    expect(seconds({ clientName: 'somebody', hasProgressToken: true })).toBe(45);
  });

  it.each(Object.entries(timeouts))('ends before %s gives up after %d s', (clientName, timeout) => {
    for (const requestedSeconds of [undefined, 0, 10, timeout, 3600]) {
      for (const hasProgressToken of [false, true]) {
        expect(seconds({ clientName, requestedSeconds, hasProgressToken })).toBeLessThan(timeout);
      }
    }
  });

  it('knows clients however they write their names', () => {
    expect(seconds({ clientName: 'Codex-MCP-Client' })).toBe(100);
    expect(seconds({ clientName: 'gemini-cli-mcp-client-svc' })).toBe(240);
    expect(seconds({ clientName: 'claude-ai (via mcp-remote 0.1.37)' })).toBe(45);
  });

  it('is longer for a client that extends its time-out on progress, if it asked for progress', () => {
    const clientName = 'claude-code';
    expect(seconds({ clientName, hasProgressToken: false })).toBe(110);
    expect(seconds({ clientName, hasProgressToken: true })).toBe(600);
  });

  it('is the setting where there is one', () => {
    expect(seconds({ clientName: 'claude-code', settingSeconds: 7 })).toBe(7);
    expect(seconds({ settingSeconds: 300 })).toBe(300);
  });

  it('is what the call asks for, up to the limit of the client or the setting', () => {
    expect(seconds({ requestedSeconds: 0 })).toBe(0);
    expect(seconds({ requestedSeconds: 50 })).toBe(50);
    expect(seconds({ requestedSeconds: 500 })).toBe(55);
    expect(seconds({ requestedSeconds: 500, settingSeconds: 300 })).toBe(300);
    expect(seconds({ requestedSeconds: 50, settingSeconds: 5 })).toBe(50);
  });

  it('never exceeds what was asked for', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.boolean(),
        fc.nat(4000),
        fc.option(fc.nat(4000)),
        (clientName, token, asked, setting) => {
          const wait = seconds({
            clientName,
            hasProgressToken: token,
            requestedSeconds: asked,
            settingSeconds: setting ?? undefined,
          });
          expect(wait).toBeLessThanOrEqual(asked);
          expect(wait).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
