/** Every client whose configuration `svc-mcp config` knows. */
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import type { Client } from './client.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueDev } from './continue.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';
import { vscode } from './vscode.ts';

export const clients: ReadonlyMap<string, Client> = new Map([
  ['claude-desktop', claudeDesktop],
  ['claude-code', claudeCode],
  ['vscode', vscode],
  ['cursor', cursor],
  ['codex', codex],
  ['gemini', gemini],
  ['copilot', copilot],
  ['opencode', opencode],
  ['qwen', qwen],
  ['cline', cline],
  ['continue', continueDev],
]);
