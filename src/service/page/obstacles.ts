/**
 * Pages that are shown instead of the content: a check for people, a sign-in form, a consent form, an error page.
 * An obstacle needs two signs of different kinds: what the page says, what it is made of, and that it shows nothing else.
 * One sign is a doubt.
 */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, hasChildren, isTag, isText } from 'domhandler';
import { countAmounts } from '../../compare/money.ts';
import { collapse, getParent, shownText } from './elements.ts';
import { getLines, getText, isHidden } from './text.ts';
import { Weights } from './weights.ts';

type ObstacleKind = 'person' | 'sign-in' | 'consent' | 'error';

export interface Obstacle {
  readonly kind: ObstacleKind;
  /** Two signs of different kinds speak for it. */
  readonly isCertain: boolean;
  /** A sentence for the user. */
  readonly reason: string;
}

/** A guess at more text than an obstacle has, in characters: no corpus of obstacles has been counted yet. */
const maxText = 1_500;
/** Less text than any content has. */
const hardlyAny = 300;
/** The least that a page says of a song or a film with such a name. */
const oneLine = 25;

const reasons: Readonly<Record<ObstacleKind, readonly [certain: string, doubt: string]>> = {
  person: [
    'The site checks whether a person reads the page, and does not show it to programs',
    'This may be a check whether a person reads the page, and not its content.',
  ],
  'sign-in': [
    'The page asks its readers to sign in, and shows nothing else',
    'The page has a sign-in form: there may be more to read behind it.',
  ],
  consent: [
    'The page asks for consent, and shows nothing else before that',
    'The page asks for consent: there may be more to read behind it.',
  ],
  error: [
    'The site answers with an error page, although its status says that all is well',
    'This may be an error page, and not the content.',
  ],
};

const challenge =
  /captcha|challenge-(?:form|platform|running|container)|cf-chl|turnstile|px-block|datadome|incapsula|are-you-human|anubis|awswaf|ddos-guard|sec-if-cpt|geetest|altcha/i;
/** What the scripts of such checks set, and those of other pages do not. */
const challengeScript = /_cf_chl_opt|awsWafCookie|gokuProps|sucuri_cloudproxy|ddos-guard|bm-verify/;
const personWords =
  /\b(?:verif\w+ (?:that )?you(?:'re| are)(?: a| not a)? (?:human|person|robot|bot)|(?:think|thought|suspect\w*) (?:that )?you(?:'re| are| were| might be| may be) an? (?:ro)?bot|(?:are you|not) a (?:ro)?bot\b|(?:prove|confirm|check)\w* (?:that )?you(?:'re| are) (?:a )?(?:human|person|not a)|unusual (?:traffic|activity)|automated (?:access|requests|traffic)|checking (?:if|that|whether)? ?(?:the site connection|your browser)|press (?:&|and) hold|you(?:['’]ve| have) been blocked|enable javascript and cookies to continue|complete the (?:captcha|security check)|sicherheitsprüfung|kein roboter|pas un robot|(?:no eres un|no soy un) robot|eres (?:un )?humano|um robô)/i;
/** "That you are human" in other languages. */
const youAreHuman =
  /(?:dass (?:sie|du) (?:ein|kein) (?:mensch|roboter|bot)|qu[ei] (?:\p{L}+ )?(?:eres|es|é|êtes|sois|soyez|seja|sea|seas) (?:\p{L}+ )?(?:ser |être )?huma(?:ine?|n[oa])(?!\p{L})|che (?:lei |tu )?(?:sei|sia) (?:un )?(?:essere )?umano|dat (?:u|je) (?:een|geen) (?:mens|robot)|at(?:t)? du (?:är|er|inte är|ikke er) (?:(?:en|et|ett) )?(?:människa|menneske|robot)|jesteś (?:człowiekiem|robotem)|(?:insan|robot) ol(?:duğunuzu|madığınızı)|že (?:jste|nejste) (?:člověk|robot)|что вы (?:не робот|человек)|非机器人|安全验证|是真人|您是人类|人間であること|ロボットでは(?:ない|ありません)|사람인지|사람임을|로봇이 아)/iu;
/** "Un momento…": what such checks, and pages whose text comes later, have for a name in any language. */
const waitingName = /^[^.…]{2,40}(?:…|\.{3})$/;
const personName =
  /^(?:just a moment|one more step|one moment|attention required|are you human|security (?:check|verification)|robot check)\W*$/i;
const signInWords =
  /\b(?:(?:sign|log) ?(?:in|on)\b|login|members? (?:only|area)|(?:please|must|need to) (?:sign|log) in|anmeld(?:en|ung)|einloggen|connexion|se connecter|identifiez-vous|iniciar sesi[oó]n|acceder|accedi|inloggen|logga in|zaloguj)/i;
const consentName = /consent|cookie|gdpr|onetrust|usercentrics/i;
const consentWords =
  /cookie|consent|privacy|datenschutz|einwillig|zustimm|akzeptier|accept|akkoord|aceptar|confidentialité/i;

/** What a wall says and asks: its subject, its plea to the reader, and its buttons. */
const wallSubject =
  /cookie|consent|privacy|personal data|datenschutz|privatsphäre|einwillig|zustimm|vie privée|données personnelles|consentement|privacidad|datos personales|consentimiento|dati personali|consenso|toestemming|persoonsgegevens|privacidade|конфиденциальн|クッキー/i;
const wallPlea =
  /accept|agree|allow|reject|to continue|before you|by clicking|choice|akzept|zustimm|einwillig|fortfahren|cliqu|consent|acept|acord|accett|rifiut|akkoord|weiger|aceit|соглас|同意/i;
const wallTitle = /^(?:before you|your choice|bevor (?:du|sie)|avant de|antes de|prima di|voordat)\b/i;
const wallButton =
  /^(?:(?:i |yes,? (?:i )?)?(?:accept|agree|allow|consent|reject|decline|refuse|got it|understood|ok(?:ay)?|continue)\b|(?:alles? |nur |ich )?(?:\p{L}+ )?(?:akzeptier|stimme zu|zustimm|ablehn|einverstanden)|(?:tout )?(?:accepter|refuser)|j['’]accepte|continuer|acept|rechaz|accett|rifiut|akkoord|weiger|aceit|recus|принять|соглас|同意)/iu;

const errorNumber = /\b(?:40[0134]|410|429|50[0234])\b/;
const fillers =
  /\b(?:error|fehler|erreur|http|status|code|sorry|oops|oh no|uh[- ]oh|the|this|that|your|page|file|site|content|url|document|resource|requested|is|was|has|been)\b/gi;
const errorPhrase =
  /^(?:(?:could |can )?not (?:be )?found|can(?:not|['’]t) be found|(?:not |temporarily |un)+available|does(?: not|n['’]t) exist|no longer exists?|gone|access denied|forbidden|unauthorized|bad (?:request|gateway)|too many requests|internal server|server|service (?:temporarily )?unavailable|gateway time-?out|something went wrong|seite (?:wurde )?nicht gefunden|introuvable|non trouvée|página no encontrada|pagina non trovata|pagina niet gevonden|страница не найдена|ページが見つかりません|页面(?:不存在|未找到)|)$/i;

/** Films are called "Forbidden" and novels "Gone", but not "403 Forbidden". */
const isNumbered = (name: string) => errorNumber.test(name);

/** Whether a title or heading says an error and nothing else: "Room 404" and "Access denied: a novel" do not. */
function isErrorName(name: string): boolean {
  const words = collapse(
    name
      .replace(errorNumber, ' ')
      .replace(fillers, ' ')
      .replace(/[^\p{L}'’ -]/gu, ' ')
      .replace(/\s-|-\s/g, ' '),
  );
  if (words === '') return errorNumber.test(name) || /^\W*(?:error|fehler|erreur)\W*$/i.test(name);
  return errorPhrase.test(words);
}
const errorWords =
  /(?:(?:page|file|content|url|address|article|product|document) (?:that |which )?(?:you(?:'re| are|'ve| have)? (?:\w+ )?(?:look|request|ask|try|want|seek|enter|follow)\w*)|(?:could|can)(?:not|n?['’]t| not) (?:be found|find (?:the|this|that) (?:page|url|file))|(?:page|file|content|document) (?:was |is |isn['’]t )?(?:not found|(?:not )?available right now|(?:has )?(?:been )?(?:moved(?! to\b)|removed|deleted)|no longer (?:exists|available)|does(?: not|n['’]t) exist)|(?:do not|don['’]t) have (?:the )?permission|not authorized to|too many requests|rate limit|temporarily (?:unavailable|overloaded|down)|please try again (?:later|in)|server (?:encountered|is (?:busy|down))|server-side exception|(?:site|service|page|we(?:['’]re| are)) (?:is |are )?(?:currently )?(?:down|under|undergoing|closed)(?: for)? (?:\w+ )?maintenance|existiert nicht|nicht (?:mehr )?(?:gefunden|vorhanden|verfügbar)|n['’]existe (?:pas|plus)|no existe|non esiste|bestaat niet|не (?:найдена|существует)|見つかりません|establishing a database connection|application error occurred|^fatal error: )/i;
/** Of a site that is closed for now, or that was asked too often, in other languages. */
const closedWords =
  /(?:(?:wird|werden) (?:gerade|derzeit|aktuell|momentan) (?:\p{L}+ )?gewartet|wartungsarbeiten|(?:versuchen sie|versuch(?:e)?) es (?:bitte )?(?:\p{L}+ )?später|zu viele anfragen|vorübergehend nicht|en (?:cours de )?maintenance|réessayer (?:plus tard|dans)|trop de requêtes|temporairement (?:indisponible|inaccessible|fermé)|en mantenimiento|(?:int[eé]nt[ea]\p{L}*|vuelv[ae] a intentar\p{L}*) (?:\p{L}+ )*más tarde|demasiadas (?:solicitudes|peticiones)|temporalmente (?:no disponible|fuera)|in manutenzione|riprova(?:re)? più tardi|troppe richieste|temporaneamente non|em manutenção|tente (?:novamente )?mais tarde|in onderhoud|onderhoudswerkzaamheden|probeer het later|tijdelijk niet|технические работы|попробуйте (?:\p{L}+ )*позже|слишком много запросов|временно недоступ|メンテナンス中|しばらくしてから|系统维护|稍后再试|访问过于频繁)/iu;
const saysError = (text: string) => errorWords.test(text) || closedWords.test(text);

/** Stems of "page", "find" or "exist", and "not" in many languages. A sentence with all three may say that a page is gone. */
const pageStem =
  /(?<!\p{L})(?:page|seite|sid[ae]|pagin|págin|stron[aęyi]|strán|sivu|oldal|sayfa|halaman|trang|страниц|сторінк|stranic)|σελίδ|页|頁|ページ|페이지|דף|صفح|หน้า/iu;
const findStem =
  /(?<!\p{L})(?:found|find|exist|gefunden|finden|gibt|vorhanden|trouv|encontr|encuentr|trov|esist|gevonden|vinden|bestaat|hitta|finn[se]?|find|fund|znal|znaj|istnie|nalez|nenalez|neexist|bulun|mevcut|löyd|löyt|olemassa|talál|létez|găs|ditemukan|tìm thấy|най|знай|существ|існу)|βρ[έεί]|υπάρχ|存在|找|见|見|あり|찾|없|נמצא|قيم|موجود|وجد|العثور|พบ/iu;
const notStem =
  /(?<!\p{L})(?:not|no longer|can['’]?t|nicht|kein|plus|pas|introuvable|no(?!\p{L})|non|não|niet|geen|inte|ikke|nie|ne[nm]|neexist|bulunam|değil|ei(?!\p{L})|nu(?!\p{L})|tidak|không|не|нет)|δεν|不|没|沒|未|ませ|ない|없|לא|لم|لا|غير|ไม่/iu;
const saysGone = (text: string) =>
  text
    .split(/[.!?。！？]/u)
    .some((sentence) => [pageStem, findStem, notStem].every((stem) => stem.test(sentence)));

const elementsOf = (html: CheerioAPI, select: string): Element[] => html(select).toArray().filter(isTag);
const nameOf = ({ attribs }: Element) =>
  `${attribs.id ?? ''} ${attribs.class ?? ''} ${attribs.action ?? ''} ${attribs.src ?? ''}`;

const contentType =
  /(?:^|[/#:])(?:Product|\w*Article|BlogPosting|Recipe|JobPosting|Event|DiscussionForumPosting|QAPage)$/;
/** What the page says of itself as a thing of its own: an article, a product, a thread. */
const statesContent = (html: CheerioAPI) =>
  elementsOf(html, 'script[type^="application/ld+json" i]').some((script) =>
    [
      ...html(script)
        .text()
        .matchAll(/"@type"\s*:\s*"([^"]*)"/g),
    ].some(([, type = '']) => contentType.test(type)),
  ) ||
  elementsOf(html, '[itemscope][itemtype]').some(({ attribs }) => contentType.test(attribs.itemtype ?? ''));

interface Signs {
  /** Too little for a sign, enough for a doubt. */
  readonly hints?: boolean;
  readonly says: boolean;
  readonly holds: boolean;
  readonly showsNothingElse: boolean;
}

interface Shown {
  /** The parts of the title, and headings that are not a part of a longer name in it. */
  readonly names: readonly string[];
  /** The text of the body without menus. */
  readonly text: string;
  readonly length: number;
  /** The length of the text beside the headings. */
  readonly beside: number;
  readonly fields: number;
}

function readShown(html: CheerioAPI): Shown {
  const body = html('body').clone();
  body.find('script, style, noscript, template, nav, footer, [hidden]').remove();
  const text = collapse(body.toArray().map(getText).join(' '));
  const parts = collapse(html('title').first().text()).split(/\s+[|·•–—-]\s+/);
  const headings = elementsOf(html, 'h1, h2').slice(0, 3);
  const shownNames = headings.map((heading) => collapse(html(heading).text()));
  // "Access denied", where the title says "Access denied: a novel".
  const isPart = (name: string) =>
    parts.some((part) => part.length > name.length && part.startsWith(`${name}:`) && !isErrorName(part));
  return {
    names: [...parts, ...shownNames.filter((name) => !isPart(name))],
    text,
    length: text.length,
    beside: text.length - shownNames.join(' ').length,
    fields: body.find('textarea, input[type="text"], input[type="email"], input:not([type])').length,
  };
}

function findPersonCheck(html: CheerioAPI, { names, text, length, beside, fields }: Shown): Signs {
  const holders = elementsOf(html, 'form, iframe, script[src], script[id], div[id], div[class]');
  const isAsked = [text, ...names].some((one) => personWords.test(one) || youAreHuman.test(one));
  const holds =
    holders.some((element) => challenge.test(nameOf(element))) ||
    html('script:not([src])')
      .toArray()
      .some((script) => challengeScript.test(html(script).text()));
  return {
    hints: length < hardlyAny && names.some((name) => waitingName.test(name)),
    says: isAsked || names.some((name) => personName.test(name)),
    holds,
    // Songs are called "Just a moment", and airports have security checks.
    showsNothingElse: length < hardlyAny && fields === 0 && (isAsked || beside < (holds ? 60 : oneLine)),
  };
}

function findSignIn(html: CheerioAPI, { names, beside }: Shown): Signs {
  const outside = '[hidden], dialog, nav, header';
  const passwords = elementsOf(html, 'input[type="password"]').filter(
    (field) => html(field).closest(outside).length === 0,
  );
  const form = html(passwords).closest('form');
  const around = beside - collapse(form.toArray().map(getText).join(' ')).length;
  const heading = html('h1, h2').not(html(form).find('h1, h2')).first().text();
  const saysOther = heading.trim() !== '' && !names.some((name) => signInWords.test(name));
  return {
    // The words of a box beside the content say nothing of the page.
    says: passwords.length > 0 && names.some((name) => signInWords.test(name)),
    holds: passwords.length > 0,
    // Beside opening hours of one line stands the box of a shop.
    showsNothingElse: passwords.length > 0 && around < (saysOther ? 5 : 60),
  };
}

function findConsent(html: CheerioAPI, { length }: Shown): Signs {
  const weights = new Weights();
  const boxes = elementsOf(html, 'form, dialog, div, section, aside').filter((box) =>
    consentName.test(nameOf(box)),
  );
  const [largest] = boxes.sort((one, other) => weights.of(other).text - weights.of(one).text);
  // A box with the heading of the page is its content, whatever its name: cookies are baked, too.
  const isContent =
    largest !== undefined && html(largest).find('h1').length > html(largest).find('button').length;
  // A page of a few lines may have a longer box.
  const others = html('h1, article, main').filter(
    (_, one) =>
      largest !== undefined &&
      html(one).closest(html(largest)).length === 0 &&
      html(one).find(html(largest)).length === 0 &&
      collapse(html(one).text()) !== '',
  );
  if (isConsentWall(html)) return { says: true, holds: true, showsNothingElse: true };
  const held = largest === undefined || isContent || others.length > 0 ? 0 : weights.of(largest).text;
  return {
    says: largest !== undefined && consentWords.test(html(largest).text()),
    holds: held > 150 && held > length * 0.5,
    showsNothingElse: held > 150 && length - held < hardlyAny,
  };
}

/** The least that a wall says, in characters; a bar says it, too, but beside other things. */
const leastWall = 25;
const isWallHeading = (element: Element) =>
  /^h[1-3]$/.test(element.name) && wallSubject.test(shownText(element));

/** A page of which every line is about consent, and that has a button for it, whatever its boxes are called. */
function isConsentWall(html: CheerioAPI): boolean {
  if (html('article, time, [itemscope]').length > 0) return false;
  const body = html('body').clone();
  body.find('script, style, noscript, template, nav, header, footer, [hidden]').remove();
  const controls = body.find('button, a, input, [role="button"]');
  const isAnswer = (control: Element) =>
    wallButton.test(collapse(body.find(control).text() || (control.attribs.value ?? '')));
  const answers = controls.toArray().filter(isTag).filter(isAnswer);
  const [answer] = answers;
  let box = answer === undefined ? null : getParent(answer);
  controls.remove();
  while (box !== null && !wallSubject.test(shownText(box))) box = getParent(box);
  if (box === null) return false;
  // A bar beside a page is no wall: around the box that asks there are at most headings about consent.
  const around = html(box).parentsUntil('body').addBack().not('body').siblings().toArray();
  if (!around.every((one) => shownText(one) === '' || isWallHeading(one))) return false;
  const lines = getLines(box);
  const others = lines.filter((line) => !wallSubject.test(line) && !wallTitle.test(line));
  const length = (all: readonly string[]) => all.join(' ').length;
  return (
    (answers.length > 1 || lines.some((line) => wallPlea.test(line))) &&
    length(lines) >= leastWall &&
    length(others) <= Math.min(length(lines) * 0.25, 100)
  );
}

function findError(html: CheerioAPI, { names, text, length, beside }: Shown): Signs {
  const marks = elementsOf(html, 'html, body, main, main > div, body > div').slice(0, 20);
  return {
    hints: names.some((name) => name.length < 80 && saysGone(name)) || (length < hardlyAny && saysGone(text)),
    says: names.some(isErrorName),
    holds: marks.some((element) =>
      // `text-gray-500` is a colour.
      /(?:^|[\s_-])(?:(?:error|page)-?(?:40\d|50[023])|error-?page|not-?found)(?:$|[\s_-])|(?:^|\s)(?:40[34]|50[023])(?:$|[\s_-])/i.test(
        nameOf(element),
      ),
    ),
    showsNothingElse:
      length < hardlyAny &&
      (saysError(text) || beside < (names.some((name) => isNumbered(name)) ? 60 : oneLine)),
  };
}

const count = ({ says, holds, showsNothingElse }: Signs) =>
  [says, holds, showsNothingElse].filter(Boolean).length;

const notCounted = /^(?:script|style|noscript|template|nav|footer|select)$/;
/** The characters that an element shows without its menus, not further than up to `most`. */
function countText(node: AnyNode, most: number): number {
  if (isText(node)) return node.data.trim().length;
  if (!hasChildren(node) || (isTag(node) && (notCounted.test(node.name) || isHidden(node)))) return 0;
  let count = 0;
  for (const child of node.children) if (count < most) count += countText(child, most - count);
  return count;
}

/** The obstacle that the page is, or may be; undefined where no sign or much text speaks against it. */
export function findObstacle(html: CheerioAPI): Obstacle | undefined {
  const body = html('body').get(0);
  // Most pages show as much in their first lines, so that the rest need not be read.
  if (body === undefined || countText(body, 2 * maxText) >= 2 * maxText) return undefined;
  const shown = readShown(html);
  if (shown.length >= maxText) return undefined;
  const errors = findError(html, shown);
  const found: readonly (readonly [ObstacleKind, Signs])[] = [
    ['person', findPersonCheck(html, shown)],
    ['sign-in', findSignIn(html, shown)],
    ['error', errors],
    ['consent', findConsent(html, shown)],
  ];
  const isStated = statesContent(html);
  const certain = found.find(([kind, signs]) => {
    // A sentence beside a lack of everything else: what an error page in plain words has.
    if (kind === 'error' && signs.showsNothingElse && !isStated)
      return count(signs) >= 2 || isPlainError(shown);
    return count(signs) >= 2 && (kind === 'error' || !isStated);
  });
  const told =
    certain ??
    found.find(([kind, signs]) => (signs.says || signs.holds) && kind !== 'consent') ??
    found.find(([, signs]) => signs.hints);
  if (told === undefined) return undefined;
  const [kind] = told;
  const isCertain = certain !== undefined;
  return { kind, isCertain, reason: reasons[kind][isCertain ? 0 : 1] };
}

/** A sentence that says an error, and nothing else: beside a price, it says what is sold out. */
const isPlainError = ({ names, text }: Shown) =>
  saysError(text) &&
  countAmounts(text) === 0 &&
  (text.length < 150 || names.every((name) => name === '' || saysError(name)));
