import { expect, it } from 'vitest';
import { searchText } from '../../src/views/row-order.ts';

it('a filter looks for what the cells show', () => {
  expect(searchText({ sold: true, name: 'Boat', isNew: false })).toBe('yes\nboat\nno');
});
