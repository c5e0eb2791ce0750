/** Elements made from untrusted data: text is inserted as text, and addresses only with http or https. */

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** `true` sets an attribute without a value; `false` and `undefined` leave it out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** Characters that are invisible or change the direction of the text around them. */
const misleading = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The text with what cannot be seen in it shown by its code. */
export const visible = (text: string): string =>
  text.replace(misleading, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The address that the host may open; undefined for every scheme but http and https. */
export function webAddress(text: string): string | undefined {
  if (text.length > 2_000 || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A user name before the host misleads people about where the address leads.
  return url.username === '' && url.password === '' ? url.href : undefined;
}
