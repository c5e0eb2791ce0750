import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionName, nameActions } from '../../../src/gateway/catalog/snapshot.ts';

const action = (action_id: string, catalog_slug = 'shop'): ActionName => ({ action_id, catalog_slug });
const digits = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 6);
const nameOf = (id: string, slug?: string) => [...nameActions([action(id, slug)], []).keys()][0];
/** Tool names by action id, which is what must not depend on anything else. */
const byId = (actions: readonly ActionName[], reserved: readonly string[] = []) =>
  Object.fromEntries([...nameActions(actions, reserved)].map(([name, { action_id }]) => [action_id, name]));

describe('a tool name', () => {
  it.each([
    ['shop-list', 'shop', 'shop-list'],
    ['list', 'shop', 'shop_list'],
    ['shop', 'shop', 'shop'],
    ['shop.list/all items', 'shop', 'shop_list_all_items'],
    ['my.shop/list', 'my.shop', 'my_shop_list'],
    ['list', 'my.shop', 'my_shop_list'],
    ['bücher😀', 'läden', 'l_den_b_cher_'],
    ['Shop-list', 'shop', 'shop_Shop-list'],
    ['9gag-list', '9gag', '_9gag-list'],
    ['-list', '-', '_-list'],
  ])('of %s in %s is %s', (id, slug, name) => {
    expect(nameOf(id, slug)).toBe(name);
  });

  it('has 40 characters at most, a longer one ends in six digits of its hash', () => {
    expect(nameOf(`shop-${'x'.repeat(35)}`)).toBe(`shop-${'x'.repeat(35)}`);
    const long = `shop-${'x'.repeat(36)}`;
    expect(nameOf(long)).toBe(`shop-${'x'.repeat(28)}_${digits(long)}`);
  });

  it('gets the digits if it collides, and so does each of the colliding names', () => {
    expect(byId([action('a.b'), action('a/b'), action('a-b')])).toEqual({
      'a.b': `shop_a_b_${digits('a.b')}`,
      'a/b': `shop_a_b_${digits('a/b')}`,
      'a-b': 'shop_a-b',
    });
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'gets the digits where it is a member of every object: %s',
    (id) => {
      expect(nameOf(id, id)).toBe(`${id}_${digits(id)}`);
    },
  );

  it('gets the digits where it collides with a static tool', () => {
    expect(byId([action('login', 'login')], ['login'])).toEqual({ login: `login_${digits('login')}` });
  });

  it('stays its own where the digits collide too, in any order', () => {
    const [one, other] = collidingIds();
    const actions = [action(one), action(other)];
    const names = byId(actions);
    expect(new Set(Object.values(names)).size).toBe(2);
    expect(Object.values(names).every((name) => name.length <= 40)).toBe(true);
    expect(byId(actions.toReversed())).toEqual(names);
  });
});

/** Two long ids of one stem whose hashes begin alike: among a few thousand there are some. */
function collidingIds(): [string, string] {
  const seen = new Map<string, string>();
  for (let count = 0; ; count += 1) {
    const id = `shop-${'x'.repeat(40)}-${count}`;
    const known = seen.get(digits(id));
    if (known !== undefined) return [known, id];
    seen.set(digits(id), id);
  }
}

const ids = fc.oneof(
  fc.constantFrom('a.b', 'a/b', 'a_b', 'shop_a_b', 'login', 'search_actions', 'shop'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('a', '.', '/', '_'), minLength: 1, maxLength: 50 }),
);
const actionLists = fc.uniqueArray(
  fc.record({ action_id: ids, catalog_slug: fc.constantFrom('shop', 'a', 'my.shop', '', 'x'.repeat(50)) }),
  { selector: ({ action_id }) => action_id, maxLength: 30 },
);
const reserved = ['login', 'search_actions', 'shop'];

it('every action has a valid and unique name, the same in any order of the actions', () => {
  fc.assert(
    fc.property(actionLists, fc.infiniteStream(fc.nat()), (actions, random) => {
      const named = nameActions(actions, reserved);
      expect([...named.values()].map(({ action_id }) => action_id).sort()).toEqual(
        actions.map(({ action_id }) => action_id).sort(),
      );
      for (const name of named.keys()) {
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
        expect(reserved).not.toContain(name);
      }
      const shuffled = actions
        .map((value) => ({ value, key: random.next().value ?? 0 }))
        .sort((one, other) => one.key - other.key)
        .map(({ value }) => value);
      expect(byId(shuffled, reserved)).toEqual(byId(actions, reserved));
    }),
    { numRuns: 500 },
  );
});
