/** What an access token may allow. Without an authorization server everything is allowed. */

export const scopes = ['actions:read', 'actions:run', 'accounts:write', 'builds:write'] as const;
export type Scope = (typeof scopes)[number];

export const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);
