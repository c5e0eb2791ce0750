/** Checks of the machine that the embedded service reads sites from, for `doctor` and for the operator's page of the console. */
import { lookup } from 'node:dns/promises';
import type { BrowserLocation } from '../../service/fetch/find-browser.ts';
import type { HealthCheck } from '../../service/foundation/ports.ts';
import type { Settings } from '../config/load.ts';

/** Nothing needs a browser but pages that show nothing without scripts, so its absence is no failure. */
export async function browserCheck(settings: Settings): Promise<HealthCheck> {
  const { findBrowser, isDriverInstalled, isLinuxRoot } = await import('../../service/fetch/find-browser.ts');
  const location = findBrowser(settings.browser ?? 'auto');
  const name = 'browser';
  const note = (detail: string): HealthCheck => ({ name, ok: true, note: true, detail });
  if (location.kind === 'none') {
    if (location.reason === 'off') return note('off (SVC_BROWSER); pages that need scripts are not read');
    if (location.reason === 'not-executable')
      return { name, ok: false, detail: `${location.path} cannot be run: correct SVC_BROWSER` };
    return note('none; for pages that need scripts install Chromium, Chrome or Edge');
  }
  const where = installedBrowser(location);
  if (!isDriverInstalled()) return note(`${where}; to use it run: npm install -g playwright-core`);
  if (isLinuxRoot() && settings.browserSandbox !== false)
    return note(`${where}; not used as root, where its sandbox cannot run (SVC_BROWSER_SANDBOX)`);
  return { name, ok: true, detail: where };
}

function installedBrowser({ path, windowPath }: BrowserLocation & { kind: 'installed' }): string {
  if (windowPath === undefined) return `${path}, which cannot show a sign-in window`;
  return windowPath === path ? path : `${path}; for sign-in windows: ${windowPath}`;
}

export const proxyOf = (env: NodeJS.ProcessEnv): string | undefined =>
  env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy || undefined;

/** A name that every resolver knows (RFC 2606). */
const knownName = 'example.com';

/** The way of the embedded service to websites. */
export async function websitesCheck({ fetchProxy, fetchFakeIps = [] }: Settings): Promise<HealthCheck> {
  const { isFakeAddress, isPublicAddress } = await import('../../service/fetch/network-addresses.ts');
  const name = 'websites';
  const proxy = proxyOf(process.env);
  if (fetchProxy !== undefined) {
    const address = fetchProxy === 'env' ? proxy : fetchProxy;
    if (address === undefined)
      return { name, ok: false, detail: 'SVC_FETCH_PROXY is env, and HTTPS_PROXY is not set' };
    return {
      name,
      ok: true,
      detail: `read through the proxy ${getHost(address)}, which resolves their names`,
    };
  }
  const unused =
    proxy === undefined
      ? ''
      : `; the proxy ${getHost(proxy)} of the environment is not used: set SVC_FETCH_PROXY=env to use it`;
  const addresses = await lookup(knownName, { all: true }).catch(() => undefined);
  if (addresses === undefined)
    return {
      name,
      ok: proxy === undefined,
      note: true,
      detail: `read directly, and the name ${knownName} is not resolved here${unused || '; SVC_FETCH_PROXY names a proxy'}`,
    };
  const odd = addresses.find(
    ({ address }) => !isPublicAddress(address) && !isFakeAddress(address, fetchFakeIps),
  );
  if (odd !== undefined)
    return {
      name,
      ok: false,
      detail: `names of public websites lead to ${odd.address}, which is not public, so none is read: if a VPN answers so, set SVC_FETCH_FAKE_IPS to its range, such as 198.18.0.0/15`,
    };
  const fakes =
    fetchFakeIps.length === 0 ? '' : `, also at the addresses ${fetchFakeIps.join(', ')} of a VPN`;
  return { name, ok: true, detail: `read directly${fakes}${unused}` };
}

export const getHost = (address: string) =>
  URL.canParse(address) ? new URL(address).host : 'an address that is not valid';
