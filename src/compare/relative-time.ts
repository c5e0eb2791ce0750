/** Texts that say when something was from the reader's now: they change while nothing happens. */
import { toPlainDigits } from './digits.ts';

const units =
  'seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|wks?|w|months?|mos?|years?|yrs?|y|' +
  'sekunden?|minuten?|stunden?|std\\.?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|' +
  'secondes?|heures?|jours?|semaines?|mois|ans?|années?|' +
  'segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|mês|anos?|años?|' +
  'secondi|secondo|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|' +
  'seconden|minuut|uur|uren|dag(?:en)?|weken|week|maand(?:en)?|jaar|jaren|' +
  'sekunder?|minuter?|timm(?:e|ar)|timer?|dagar|dager?|veckor?|uker?|månader?|måneder?|år|' +
  'секунд\\p{L}*|минут\\p{L}*|час\\p{L}*|дн\\p{L}*|день|недел\\p{L}*|месяц\\p{L}*|год\\p{L}*|лет';
const amount = `(?:(?:about|around|over|almost|less than|more than|~|etwa|über|environ|hace|circa) ?)?(?:\\d+|an?|one|few|a few|einem|einer|un|une|una|uno|um|uma|een|en|ett)`;
const span = `${amount} ?(?:${units})(?:,? (?:and |und |et |y |e )?\\d+ ?(?:${units}))*`;
const before = '(?:vor|il y a|hace|h[áa]|för)';
const behind = '(?:ago|fa|geleden|sedan|siden|atrás|temu|назад|left|remaining)';
/** "Ships in 2 days" is news where it changes; "ends in 2 days" is not. */
const countdown = '(?:ends?|ending|closes|closing|expires|expiring|starts|starting|begins|endet) in';
const days =
  "just now|today|yesterday|gerade eben|heute|gestern|aujourd'hui|hier|hoy|ayer|oggi|ieri|vandaag|gisteren|hoje|ontem|" +
  'idag|igår|i dag|i går|сегодня|вчера|только что';
const lead = '(?:\\p{L}+:? ){0,3}';
const clock = '(?:,? (?:at |um |à |a las |alle |om |в )?\\d{1,2}[:.h]\\d{2}(?: ?[ap]m)?)?';
const relative = new RegExp(
  `^${lead}(?:${before} ${span}|${span} ${behind}|${countdown} ${span})[.!]?$|^(?:${days})${clock}[.!]?$|` +
    '^\\d+ ?(?:秒|分|分钟|時間|小时|日|天|週間|周|か月|个月|年)[前后後]$',
  'iu',
);
/** Longer texts say more than a time. */
const maxLength = 60;

/** Whether a text says a time from now: "3 hours ago", "vor 2 Tagen", "yesterday at 14:05", "ends in 5 minutes". */
export const isRelativeTime = (text: string): boolean =>
  text.length <= maxLength && relative.test(toPlainDigits(text));
