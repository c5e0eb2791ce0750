/** The parts of undici that are used, by name: a bundled CommonJS package has no named exports for `import()`. */
export { EnvHttpProxyAgent, Pool } from 'undici';
