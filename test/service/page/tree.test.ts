/** The tree of a page is what browsers make of it. */
import { expect, it } from 'vitest';
import { parsePage } from '../../../src/service/page/tree.ts';

it('a second body or html adds its attributes to the first', () => {
  const html = parsePage(
    '<html lang="en"><body id="a"><p>x<body id="b" class="c"><html lang="de" dir="ltr">',
  );
  expect(html('body').attr()).toEqual({ id: 'a', class: 'c' });
  expect(html('html').attr()).toEqual({ lang: 'en', dir: 'ltr' });
});
