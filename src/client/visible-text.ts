/** Text as a reader sees it: what is invisible, or would be taken for markup, is left out. */
import { stripVTControlCharacters } from 'node:util';

/** Control, format (bidirectional, zero-width), private, lone surrogate and other invisible characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** `<IMPORTANT>`, `</system>` and the like: markup has no place in a name or a description. */
const tagStart = /^<\/?[A-Za-z!]/;
/** Most texts do not match this, so one search is enough for them. */
const suspicious = /[^ -~]|>| {2}/;

/** One line without anything invisible and without markup. */
export function visibleText(text: string): string {
  if (!suspicious.test(text)) return text.trim();
  const visible = stripVTControlCharacters(text).replace(/\s+/gu, ' ').replace(invisible, '');
  return withoutMarkup(visible).replace(/ {2,}/g, ' ').trim();
}

/** Removing a tag can join the text around it into a new tag, so tags within a tag are removed first. */
function withoutMarkup(text: string): string {
  if (!text.includes('>')) return text;
  const visible: string[] = [];
  /** Where each `<` stands that no `>` has closed. */
  let open: number[] = [];
  for (const part of text.split(/(?=[<>])/)) {
    const start = part.startsWith('>') ? open.pop() : undefined;
    // No part is empty, so that three of them hold the start of a tag, whatever was removed between them.
    if (start !== undefined && tagStart.test(visible.slice(start, start + 3).join(''))) {
      visible.length = start;
      if (part !== '>') visible.push(part.slice(1));
      continue;
    }
    if (part.startsWith('<')) open.push(visible.length);
    // A `>` without an open tag: no earlier `<` can end after it.
    else if (part.startsWith('>')) open = [];
    visible.push(part);
  }
  return visible.join('');
}
