/** What all views show of an answer: that it failed, or that it is not there yet. */
import { element, visible } from './elements.ts';
import type { Body } from './host.ts';

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const body = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The error of an answer with its next step; undefined where there is none. */
export function createProblem(answer: Body): HTMLElement | undefined {
  const error = body(answer.error);
  const message = text(error.message);
  if (message === undefined) return undefined;
  const next = text(answer.next);
  return element(
    'div',
    { class: 'message bad', role: 'alert' },
    element('h2', {}, visible(text(error.code) ?? 'Error')),
    element('p', {}, visible(message)),
    ...(next === undefined ? [] : [element('p', { class: 'quiet' }, visible(next))]),
  );
}

/** Facts as terms, without those that are undefined. */
export function facts(entries: Readonly<Record<string, string | undefined>>): HTMLElement {
  const shown = Object.entries(entries).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [element('div', {}, element('dt', {}, name), element('dd', {}, element('bdi', {}, visible(value))))],
  );
  return element('dl', { class: 'facts' }, ...shown);
}
