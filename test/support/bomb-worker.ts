/** A worker that does what no worker should; the tests of the pool bundle it. */
import { search } from '@jmespath-community/jmespath';
import { serveTasks } from '../../src/workers/serve-tasks.ts';

export type Bomb = keyof typeof bombs | { readonly echo: unknown };

const bombs = {
  'loops for ever': () => {
    for (;;);
  },
  'allocates many small objects': () => {
    const objects = [];
    for (;;) objects.push({ value: Math.random() });
  },
  'allocates one large array': () => new Array(1e8).fill(1.5).length,
  'evaluates pad_left of 400 million characters': () => search(null, "length(pad_left('a', `400000000`))"),
  'concatenates an array with itself': () => {
    let values = [1, 2, 3];
    for (;;) values = values.concat(values);
  },
  'gets no time for a second': () => new Promise((resolve) => setTimeout(resolve, 1_000, 'done')),
  exits: () => process.exit(3),
  throws: () => {
    throw new TypeError('not this');
  },
  pid: () => process.pid,
};

serveTasks((bomb: Bomb) => (typeof bomb === 'string' ? bombs[bomb]() : bomb.echo));
