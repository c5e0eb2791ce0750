/** What the embedded service is made of; it is loaded at once, and only where the service is embedded. */
export { findBrowser, isUsable } from '../../service/browser/find-browser.ts';
export { createRenderer } from '../../service/browser/renderer.ts';
export { createBuilder } from '../../service/builder/builder.ts';
export { createCatalogSource } from '../../service/catalogs/source.ts';
export { createFetcher } from '../../service/fetching/fetcher.ts';
export { createLoginRunner } from '../../service/login/runner.ts';
export { createSignInBrowser, hasDisplay } from '../../service/login/sign-in-window.ts';
export { createPagePool, createParsePool } from '../../service/recipes/page-pool.ts';
export { createRunner } from '../../service/recipes/runner.ts';
export { startService } from '../../service/service.ts';
