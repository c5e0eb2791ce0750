#!/usr/bin/env node
process.stdout.write('svc-mcp\n');
