/** All families of `npm run attack`. SECURITY.md has a row for each, under its name. */
import type { Family } from './attack.ts';
import { catalog } from './catalog.ts';
import { clock } from './clock.ts';
import { load } from './load.ts';
import { machine } from './machine.ts';
import { names } from './names.ts';
import { sessions, tokens } from './people.ts';
import { bodies, json, paths } from './requests.ts';
import { results, schemas, services } from './services.ts';
import { sites } from './sites.ts';
import { stores } from './stores.ts';
import { streams } from './streams.ts';
import { wire } from './wire.ts';
import { words } from './words.ts';

export const families: readonly Family[] = [
  bodies,
  json,
  paths,
  wire,
  results,
  schemas,
  services,
  words,
  names,
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
