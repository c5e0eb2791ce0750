/** The baseline over stdio, unbundled. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMinimalServer } from './minimal.js';

serveStdio(createMinimalServer);
