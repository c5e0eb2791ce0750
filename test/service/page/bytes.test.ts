/** Bytes to text: marks, declarations, and texts without either. */
import { expect, it } from 'vitest';
import { decodeBytes, explainDoubt } from '../../../src/service/page/bytes.ts';

const cp1251 = (text: string) =>
  Buffer.from(
    [...text].map((sign) => (sign >= 'А' && sign <= 'я' ? sign.charCodeAt(0) - 0x350 : sign.charCodeAt(0))),
  );
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const russian = 'Привет, мир. Сегодня в городе открылась новая библиотека, и все жители пришли на праздник. ';

it.each([
  ['UTF-8', Buffer.from('Größe'), '', 'Größe'],
  ['UTF-8 with a mark', Buffer.from('\ufeffGröße'), 'text/html; charset=windows-1251', 'Größe'],
  ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('Größe')]), 'text/plain', 'Größe'],
  [
    'UTF-16 with the other mark',
    Buffer.concat([Buffer.from([0xfe, 0xff]), utf16('Größe').swap16()]),
    '',
    'Größe',
  ],
  ['UTF-16 without a mark', utf16('<rss><title>Größe</title></rss>'), '', '<rss><title>Größe</title></rss>'],
  ['the header', latin1('Größe'), 'text/html; charset="ISO-8859-1"', 'Größe'],
  [
    'XML',
    cp1251('<?xml version="1.0" encoding="windows-1251"?><t>Привет</t>'),
    'text/xml',
    '<?xml version="1.0" encoding="windows-1251"?><t>Привет</t>',
  ],
  [
    'a meta element',
    cp1251("<meta charset='windows-1251'><p>Привет"),
    'text/html',
    "<meta charset='windows-1251'><p>Привет",
  ],
  [
    'an older meta element',
    cp1251('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Привет'),
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Привет',
  ],
  [
    'a declaration that cannot be',
    Buffer.from('<?xml version="1.0" encoding="UTF-16"?><t>Größe'),
    '',
    '<?xml version="1.0" encoding="UTF-16"?><t>Größe',
  ],
  ['an unknown name in the header', Buffer.from('Größe'), 'text/html; charset=utf8mb9', 'Größe'],
  ['nothing but its characters', cp1251(russian.repeat(4)), 'text/html', russian.repeat(4)],
])('by %s', (_, bytes, contentType, text) => {
  expect(decodeBytes(bytes, contentType)).toMatchObject({ text, replaced: 0 });
});

it('says which share of the characters could not be read', () => {
  const broken = decodeBytes(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('\0\0a')]), 'text/html');
  expect(broken.replaced).toBeCloseTo(2 / 3, 1);
  expect(explainDoubt(broken)).toEqual([expect.stringContaining('67 % of the characters')]);
});

it('does not believe a server whose encoding the bytes do not have, and says so', () => {
  const feed = cp1251('<?xml version="1.0" encoding="windows-1251"?><t>Привет</t>');
  for (const [bytes, encoding] of [
    [feed, 'windows-1251'],
    [cp1251(russian.repeat(4)), 'windows-1251'],
  ] as const) {
    const decoded = decodeBytes(bytes, 'text/xml; charset=utf-8');
    expect(decoded).toMatchObject({ replaced: 0, guessed: encoding });
    expect(decoded.text).toContain('Привет');
    expect(explainDoubt(decoded)).toEqual([expect.stringContaining(encoding)]);
  }
});

it('keeps the declared encoding of a text that is mostly readable', () => {
  const broken = Buffer.concat([Buffer.from('Größe über Maß '), Buffer.from([0xff])]);
  expect(decodeBytes(broken, 'text/html; charset=utf-8').text).toBe('Größe über Maß \ufffd');
});

it('says that an encoding was guessed, and takes UTF-8 for nothing else', () => {
  const page = '<title>Größe</title><p>Der Zug fährt über die Brücke nach Köln, ein naïver Gast.</p>';
  expect(decodeBytes(latin1(page))).toEqual({ text: page, replaced: 0, guessed: 'ISO-8859-1' });
  const header = 'text/html; charset=iso-8859-1';
  expect(decodeBytes(new TextEncoder().encode(page), header)).toEqual({ text: page, replaced: 0 });
  expect(decodeBytes(latin1(page), header)).toEqual({ text: page, replaced: 0 });
});
