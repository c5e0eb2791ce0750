/** What the catalog `web` is made of; it is not loaded with SVC_WEB_CATALOG=off. */
export { webCatalog } from '../../service/catalogs/web.ts';
export { createWebPageCheck } from '../../service/fetching/web-page-check.ts';
export { createWebRunner } from '../../service/web/runner.ts';
