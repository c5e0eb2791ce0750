/** The tree of a page is what browsers make of it. */
import { expect, it } from 'vitest';
import { queryTree } from '../../../src/service/page/queries.ts';
import { parseTree } from '../../../src/service/page/tree.ts';

it('a second body or html adds its attributes to the first', () => {
  const html = queryTree(
    parseTree('<html lang="en"><body id="a"><p>x<body id="b" class="c"><html lang="de" dir="ltr">'),
  );
  expect(html('body').attr()).toEqual({ id: 'a', class: 'c' });
  expect(html('html').attr()).toEqual({ lang: 'en', dir: 'ltr' });
});
