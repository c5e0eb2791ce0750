/** All families of `npm run attack`. SECURITY.md has a row for each, under its name. */
import type { Family } from './attack.ts';
import { catalog } from './catalog.ts';
import { clock } from './clock.ts';
import { load } from './load.ts';
import { machine } from './machine.ts';
import { sessions, tokens } from './people.ts';
import { bodies, json, paths } from './requests.ts';
import { results, schemas, services } from './services.ts';
import { sites } from './sites.ts';
import { stores } from './stores.ts';
import { streams } from './streams.ts';

export const families: readonly Family[] = [
  bodies,
  json,
  paths,
  results,
  schemas,
  services,
  catalog,
  sites,
  tokens,
  sessions,
  clock,
  machine,
  stores,
  load,
  streams,
];
