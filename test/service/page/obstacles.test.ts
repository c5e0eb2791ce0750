/** An obstacle needs two signs of different kinds; one is a doubt; a word in a title is none. */
import { describe, expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { findObstacle } from '../../../src/service/page/obstacles.ts';

function find(title: string, body: string) {
  const markup = `<html><head><title>${title}</title></head><body>${body}</body></html>`;
  const page = {
    url: 'https://x.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(markup),
  };
  const obstacle = findObstacle(new Document(page).html);
  if (obstacle === undefined) return 'content';
  return obstacle.isCertain ? obstacle.kind : `doubt: ${obstacle.kind}`;
}
const named = (title: string, text: string) => find(title, `<main><h1>${title}</h1><p>${text}</p></main>`);
const prose = 'The museum shows boats of four centuries, and the harbour in which they were built. '.repeat(
  25,
);
const login = '<form><input name="u"><input type="password" name="p"></form>';

describe('a few lines are content, and a doubt at most', () => {
  const banner = `<div class="cookie-banner"><p>${'We use cookies to personalise content. '.repeat(6)}</p><button>Accept</button></div>`;
  it.each([
    ['Forbidden', '<h1>Forbidden</h1><p>A film from 1932 by Frank Capra. 83 minutes.</p>', 'doubt: error'],
    ['Gone', '<h1>Gone</h1><p>A novel by Michael Grant, 2008.</p>', 'doubt: error'],
    ['Just a Moment', '<h1>Just a Moment</h1><p>A song by Ann Doe, 1974. Length 3:05.</p>', 'doubt: person'],
    ['Opening hours', `<h1>Opening hours</h1><p>Mo–Fr 9–17</p>${login}`, 'doubt: sign-in'],
    [
      'Soup',
      '<main class="bg-gray-500"><h1>Soup</h1><p class="text-gray-404">Serves 4.</p></main>',
      'content',
    ],
    ['Soup', '<main class="page-404"><h1>Soup</h1><p>Serves 4.</p></main>', 'error'],
    ['Bridge', `${banner}<main><h1>Bridge</h1><p>The bridge opens on Monday.</p></main>`, 'content'],
  ])('%s', (title, body, expected) => expect(find(title, body)).toBe(expected));
});

it.each([
  ['Страница не найдена', 'Такой страницы нет.'],
  ['ページが見つかりません', 'お探しのページは見つかりませんでした。'],
  ['Database Error', 'Error establishing a database connection'],
  ['403 Forbidden', 'nginx'],
])('%s is an error page', (title, text) => expect(named(title, text)).toBe('error'));

describe('a page is content', () => {
  it.each([
    [
      'Fiat 500 1.2 Lounge, used car',
      'Red, 2014, 61,000 km, one owner. Price 5,900 EUR. The car can be seen in our yard.',
    ],
    ['Moved', 'This page has moved to harbour.example/new.'],
    [
      'Room 404 | Hotel Linde',
      'A quiet double room on the fourth floor with a balcony and a view of the lake.',
    ],
    ['503 Main Street: house for sale', 'Four rooms, garden, garage. Price 420,000. Call us for a visit.'],
    [
      'Access denied: a novel by A. Maier',
      'A thriller about a bank clerk who finds a number too many. 320 pages, paperback.',
    ],
    [
      'Forbidden City',
      'The palace in Beijing was the seat of the emperors. Open daily from half past eight.',
    ],
    ['Peugeot 403', 'A saloon car of 1955 with four doors, made in more than a million copies.'],
    ['How to verify you are human', prose],
    ['Service unavailable on Sundays', 'The ferry leaves at 7:00, 9:00, 11:00 and 13:00 from pier two.'],
    [
      'Kiosk',
      'The kiosk at pier two sells tickets, maps and coffee. The machine for cards is temporarily down: please bring coins. Dogs are welcome on deck, and bicycles stand at the stern of the boat.',
    ],
    ['Error codes', 'The table below lists what each code of the device means and how it is cleared.'],
  ])('%s', (title, text) => {
    expect(named(title, text)).toBe('content');
  });

  it('whose heading is short for a longer name in its title', () => {
    const title = 'Access denied: a novel by A. Maier';
    expect(find(title, '<h1>Access denied</h1><p>A thriller about a bank clerk. 320 pages.</p>')).toBe(
      'content',
    );
    expect(find('Access denied | Harbour', '<h1>Access denied</h1>')).toBe('error');
  });

  it.each([
    '<div itemscope itemtype="https://schema.org/Product"><h1>Lamp</h1><p>Nicht mehr verfügbar</p></div>',
    '<h1>Lamp</h1><p>12,99 €</p><p>Nicht mehr verfügbar</p>',
  ])('of a product that is not sold any more: %s', (body) => {
    expect(find('Lamp', body)).not.toBe('error');
  });

  it('that is named as a box for consent is, but holds the heading of the page', () => {
    expect(
      find(
        'Cookies',
        '<div id="cookie-recipes"><h1>Cookies</h1><p>Butter, nuts, chocolate: our best cookies are baked every morning at five and sold from seven on. We accept orders by phone until the evening, and bring them to the pier.</p></div>',
      ),
    ).toBe('content');
  });

  it('with a check for people in the form for letters', () => {
    const form = '<form><input type="email"><textarea></textarea><div class="g-recaptcha"></div></form>';
    expect(
      find(
        'Contact',
        `<h1>Contact</h1><p>Write to us, or call during opening hours: we are here from nine to five.</p>${form}`,
      ),
    ).not.toBe('person');
  });

  it('with long text, whatever stands beside it', () => {
    expect(find('Login', `<h1>Sign in</h1>${login}<p>${prose}</p>`)).toBe('content');
  });
});

describe('in other languages, a page', () => {
  it.each([
    ['Oh je!', 'Die Seite, die Sie suchen, gibt es nicht (mehr).', 'doubt: error'],
    ['Ups', 'Vi kan ikke finde den side, du leder efter.', 'doubt: error'],
    ['Ojej', 'Nie możemy znaleźć strony, której szukasz.', 'doubt: error'],
    ['Üzgünüz', 'Aradığınız sayfa bulunamadı.', 'doubt: error'],
    ['죄송합니다', '요청하신 페이지를 찾을 수 없습니다.', 'doubt: error'],
    ['Un instant…', 'Cette opération peut prendre quelques secondes.', 'doubt: person'],
    ['Un momento…', 'Verificando que usted es humano.', 'person'],
    ['Nur einen Moment…', 'Bestätigen Sie, dass Sie ein Mensch sind.', 'person'],
    ['しばらくお待ちください...', '人間であることを確認してください。', 'person'],
    ['Menneske', 'Et menneske er 170 cm højt.', 'content'],
    ['Seite', 'Die Seite eines Quadrats ist nicht länger als 5 cm.', 'content'],
  ])('%s: %s', (title, text, expected) => expect(named(title, text)).toBe(expected));

  it('is a check for people by the scripts that it runs', () => {
    const script = '<script>window._cf_chl_opt = { cType: "managed" };</script>';
    expect(find('harbour.example', `${script}<h1>harbour.example</h1><p>Vänta.</p>`)).toBe('person');
  });
});

describe('a page may be', () => {
  it('a sign-in form, where a box for members stands beside its text', () => {
    expect(
      find(
        'Opening hours',
        `<h1>Opening hours</h1><div>${login}</div><p>The museum is open from Tuesday to Sunday, ten to five. Tickets are sold until half past four.</p>`,
      ),
    ).toBe('doubt: sign-in');
  });

  it('an error page, where its title alone says so', () => {
    expect(
      find(
        'Access denied | Crime novels',
        '<h1>Access denied</h1><p>A thriller about a bank clerk who finds a number too many. 320 pages, paperback. Price 12.90.</p>',
      ),
    ).toBe('doubt: error');
  });
});

it.each([
  ['Just a moment', 'A song of 1999 by the band Linde, written by A. Maier on a pier in the rain.'],
  ['Security check', 'Be there two hours before departure. Liquids in a bag of one litre, belts off.'],
])('a page named %s may be a check for people, and is no certain one', (title, text) => {
  expect(named(title, text)).toBe('doubt: person');
});

describe('a page is only', () => {
  it.each([
    ['Pardon our interruption', 'Something about your browser made us think you were a bot.', 'person'],
    ['One moment', 'Verifying you are human. This may take a few seconds.', 'person'],
    ['Harbour', 'The site is down for maintenance. Please come back tomorrow.', 'error'],
    ['Harbour', 'Application error: a server-side exception has occurred.', 'error'],
    ['404 - Page not found', 'The page that you asked for has moved or never was.', 'error'],
    ['Page not found | Harbour', '', 'error'],
    ['Catalogue', 'Sorry, too many requests. Please try again later.', 'error'],
    ['Hafen', 'Unsere Seite wird gerade gewartet. Bitte versuchen Sie es später erneut.', 'error'],
    ['Catalogue', 'Trop de requêtes. Merci de réessayer plus tard.', 'error'],
    ['Puerto', 'Sitio en mantenimiento. Inténtelo de nuevo más tarde.', 'error'],
    ['Porto', 'Troppe richieste: riprova più tardi.', 'error'],
    ['Haven', 'De site is in onderhoud.', 'error'],
    ['Гавань', 'Сайт временно недоступен.', 'error'],
    ['Seite nicht gefunden', 'Diese Adresse existiert nicht.', 'error'],
    ['503 Service Unavailable', 'nginx', 'error'],
    [
      'Catalogue',
      'Please verify that you are a human. We have detected unusual traffic from your network.',
      'person',
    ],
    ['Just a moment...', 'Enable JavaScript and cookies to continue', 'person'],
    ['Attention', 'Sorry, you have been blocked. You are unable to access harbour.example.', 'person'],
    ['Oops', 'We can’t find the page you’re looking for.', 'error'],
    ['410 Gone', '', 'error'],
  ])('%s: %s', (title, text, kind) => {
    expect(named(title, text)).toBe(kind);
  });

  it.each([
    ['Just a moment', '<p>One moment.</p><form id="challenge-form"></form>', 'person'],
    ['shop.example', '<iframe src="https://geo.captcha-delivery.com/captcha/"></iframe>', 'person'],
    ['Members', `<h1>Members</h1>${login}`, 'sign-in'],
    [
      'Sign in | Harbour',
      `<h1>Welcome back</h1><p>Enter your name and password to see your orders, tickets and invoices of this year.</p>${login}`,
      'sign-in',
    ],
    [
      'Harbour',
      '<div id="consent-dialog"><p>We and our partners keep cookies on your device to measure how our pages are read, to choose advertisements, and to remember what you chose before. Please accept them.</p></div>',
      'consent',
    ],
  ])('%s: %s', (title, body, kind) => {
    expect(find(title, body)).toBe(kind);
  });
});

describe('a wall that asks for consent is told by what it says, whatever its boxes are called', () => {
  it.each([
    [
      'beside its heading',
      '<main><h1>We value your privacy</h1><div class="x"><p>We and our 842 partners store cookies. Accept to continue to the site.</p><button>Accept all</button><button>Reject</button></div></main>',
    ],
    [
      'with links for buttons',
      '<main><h1>Before you continue</h1><p>We use cookies to show advertisements.</p><a href="/ok">I agree</a> <a href="/x">More options</a></main>',
    ],
    [
      'in German',
      '<div class="x1"><h2>Wir brauchen Ihre Zustimmung</h2><p>Wir und unsere 120 Partner speichern Cookies auf Ihrem Gerät.</p><button>Alle akzeptieren</button></div>',
    ],
    [
      'in French',
      '<div><h1>Votre vie privée</h1><p>Nous et nos partenaires utilisons des cookies.</p><button>Tout accepter</button><button>Continuer sans accepter</button></div>',
    ],
    [
      'in Spanish',
      '<div><h2>Tu privacidad</h2><p>Usamos cookies propias y de terceros.</p><button>Aceptar todo</button><button>Rechazar</button></div>',
    ],
    [
      'in Italian',
      '<div><p>Noi e i nostri partner usiamo cookie sul tuo dispositivo.</p><button>Accetta tutto</button><button>Rifiuta</button></div>',
    ],
    [
      'in Dutch',
      '<div><p>Wij vragen je toestemming voor cookies.</p><button>Akkoord</button><button>Weigeren</button></div>',
    ],
    [
      'in Portuguese',
      '<div><h2>A sua privacidade</h2><p>Aceita os nossos cookies?</p><button>Aceitar</button></div>',
    ],
    ['in Russian', '<div><p>Мы используем файлы cookie. Вы согласны?</p><button>Принять</button></div>'],
    [
      'in Japanese',
      '<div><p>当サイトはクッキーを使用します。同意しますか。これについて</p><button>同意する</button></div>',
    ],
    [
      'in a form below the name of the site',
      '<header><a>Gazette</a></header><div><h1>Gazette</h1><p>We and our partners store cookies. Accept to read on.</p><form><input type="submit" value="Accept all"></form></div>',
    ],
  ])('%s', (_, body) => expect(find('Gazette', body)).toBe('consent'));

  it.each([
    [
      'an article about consent',
      '<main><h1>What consent means</h1><p>Consent is an agreement that can be taken back.</p><p>It was defined by the court in 1998, and later by law.</p><button>Accept cookies</button></main>',
    ],
    [
      'a heading whose text comes by scripts',
      '<div class="b"><p>We use cookies to personalise. Accept?</p><button>Accept</button></div><main><h1>Bridge</h1></main>',
    ],
    [
      'a policy beside a bar',
      '<div id="app"><main><h1>Privacy policy</h1><p>We use cookies for sessions. You consent by using the site.</p></main><div class="bar">We use cookies. <button>OK</button></div></div>',
    ],
    [
      'a recipe',
      '<div><h1>Cookies</h1><p>Butter, nuts, chocolate. Baked at five. We accept orders by phone.</p><button>Continue</button></div>',
    ],
  ])('%s is content', (_, body) => expect(find('Bridge', body)).toBe('content'));
});

describe('what checks for people send is told from content', () => {
  it.each([
    [
      'Just a moment...',
      '<h1>x.example</h1><h2>Performing security verification</h2><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>',
    ],
    ['x.example', '<p>Please enable JS</p><script src="https://ct.captcha-delivery.com/c.js"></script>'],
    ['Access denied', '<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1>'],
    ['', '<iframe src="/_Incapsula_Resource?CWUDNSAI=23">Request unsuccessful.</iframe>'],
    ['Human Verification', '<div id="challenge-container"></div><script>window.gokuProps = {};</script>'],
    ['DDoS-Guard', '<h1>Checking your browser before accessing x.example</h1>'],
    ['x.example', '<p>Wait</p><script src="/.well-known/ddos-guard/js-challenge/index.js"></script>'],
    [
      "Making sure you're not a bot!",
      '<script id="anubis_version" type="application/json">"1"</script><p>Loading</p>',
    ],
    ['You are being redirected...', '<script>var s={};/* sucuri_cloudproxy_js */</script>'],
    ['Challenge Validation', '<div id="sec-if-cpt-container"></div>'],
    ['x.example', '<script>xhr.send(JSON.stringify({"bm-verify": "AAQ"}));</script>'],
    ['Robot Check', '<form action="/errors/validateCaptcha"><input></form>'],
    ['One more step', '<p>Please complete the security check to access x.example</p>'],
    ['Prüfung', '<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>'],
    ['Vérification', '<p>Confirmez que vous n’êtes pas un robot.</p>'],
    ['Verificación', '<p>Confirma que no eres un robot.</p>'],
    ['Verifica', '<p>Conferma che sei un essere umano.</p>'],
    ['Verificação', '<p>Confirme que você não é um robô.</p>'],
    ['提示', '<p>请完成安全验证</p>'],
    ['Sorry...', '<p>Our systems have detected unusual traffic from your network.</p>'],
    ['Controle', '<p>Bevestig dat u geen robot bent.</p>'],
    ['Kontroll', '<p>Bekräfta att du är människa.</p>'],
    ['Weryfikacja', '<p>Potwierdź, że jesteś człowiekiem.</p>'],
    ['Doğrulama', '<p>Lütfen insan olduğunuzu doğrulayın.</p>'],
    ['Ověření', '<p>Potvrďte, že jste člověk.</p>'],
    ['Проверка', '<p>Подтвердите, что вы не робот.</p>'],
    ['確認', '<p>ロボットではありません</p>'],
    ['확인', '<p>사람인지 확인하십시오.</p>'],
  ])('%s: %s', (title, body) => expect(find(title, body)).toBe('person'));
});

it.each(['Anmelden', 'Connexion', 'Iniciar sesión', 'Accedi', 'Inloggen', 'Logga in', 'Zaloguj się'])(
  'a form behind the heading "%s" is a sign-in form',
  (title) =>
    expect(
      find(
        title,
        `<h1>${title}</h1><p>${'Orders, tickets and invoices of this year. '.repeat(4)}</p>${login}`,
      ),
    ).toBe('sign-in'),
);

describe('what servers and their programs send in place of a page is told from content', () => {
  it.each([
    ['404 - File or directory not found.', '<h2>404 - File or directory not found.</h2>'],
    ['403 Forbidden', "<h1>Forbidden</h1><p>You don't have permission to access this resource.</p>"],
    ['504 Gateway Time-out', "<h1>504 Gateway Time-out</h1><p>The server didn't respond in time.</p>"],
    ['500 Internal Server Error', '<p>The server encountered an internal error or misconfiguration.</p>'],
    ['429 Too Many Requests', '<h1>Too Many Requests</h1>'],
    ['Harbour', '<p>This content isn’t available right now</p>'],
    ['Harbour', '<p>Rate limit exceeded</p>'],
    ['Harbour', '<p>The site is temporarily down.</p>'],
    ['Harbour', '<p>This page has been removed.</p>'],
    ['Hinweis', '<p>Zu viele Anfragen.</p>'],
    ['Melding', '<p>Deze dienst is tijdelijk niet bereikbaar. Probeer het later opnieuw.</p>'],
    ['Site', '<p>Site temporairement indisponible</p>'],
    ['Aviso', '<p>Tente novamente mais tarde.</p>'],
    ['Сайт', '<p>Слишком много запросов.</p>'],
    ['Сайт', '<p>Попробуйте ещё раз позже.</p>'],
    ['お知らせ', '<p>しばらくしてからお試しください</p>'],
    ['提示', '<p>访问人数过多,请稍后再试</p>'],
    ['400 Bad Request', '<h1>Bad Request</h1>'],
    ['404', "<h1>The page you were looking for doesn't exist.</h1>"],
    ['Server Error (500)', '<h1>Server Error (500)</h1>'],
    ['404: This page could not be found.', '<h1>404</h1><h2>This page could not be found.</h2>'],
    ['Page not found | x', '<h1>Oops! That page can’t be found.</h1>'],
    ['Error', '<p>The website encountered an unexpected error. Please try again later.</p>'],
    ['404 Not Found – Shop', '<h1>404 Page Not Found</h1><p>The page you requested does not exist.</p>'],
    ['Shop', '<h1>Something went wrong</h1><p>Please try again later.</p>'],
    ['Maintenance', '<p>We are currently undergoing scheduled maintenance.</p>'],
    ['', '<p><b>Fatal error: </b> Uncaught Error: Call to undefined function</p>'],
    ['Page introuvable', "<h1>Page introuvable</h1><p>La page demandée n'existe plus.</p>"],
    ['Página no encontrada', '<p>La página que buscas no existe.</p>'],
    ['Pagina non trovata', '<p>La pagina richiesta non esiste.</p>'],
    ['Pagina niet gevonden', '<p>Deze pagina bestaat niet.</p>'],
    ['页面不存在', ''],
    ['Wartung', '<p>Wegen Wartungsarbeiten geschlossen.</p>'],
    ['Site', '<p>Site en maintenance.</p>'],
    ['Aviso', '<p>Demasiadas solicitudes.</p>'],
    ['Sito', '<p>Sito in manutenzione.</p>'],
    ['Site', '<p>Site em manutenção.</p>'],
    ['Сайт', '<p>Ведутся технические работы.</p>'],
    ['お知らせ', '<p>現在メンテナンス中です。</p>'],
    ['提示', '<p>系统维护中</p>'],
  ])('%s: %s', (title, body) => expect(find(title, body)).toBe('error'));

  it.each([
    'Não foi possível encontrar a página.',
    'Sidan du letar efter finns inte.',
    'Siden finnes ikke.',
    'Etsimääsi sivua ei löytynyt.',
    'A keresett oldal nem található.',
    'Сторінку не знайдено.',
    'Η σελίδα δεν βρέθηκε.',
    'Pagina nu a fost găsită.',
    '您访问的页面找不到。',
    'ページは存在しません。',
    'Nie ma strony: nie istnieje.',
    'Stránka nebyla nalezena, strana nenalezena.',
    '페이지가 없습니다.',
    'Το αρχείο δεν υπάρχει σε αυτή τη σελίδα.',
    'Sayfa mevcut değil.',
    'لم يتم العثور على الصفحة.',
    'הדף לא נמצא.',
    'الصفحة غير موجودة.',
    'ไม่พบหน้านี้',
    'Không tìm thấy trang.',
    'Halaman tidak ditemukan.',
    'De pagina is niet gevonden.',
    'La pagina non si trova.',
    'La page demandée n’a pas été trouvée.',
    'No encontramos la página.',
  ])('perhaps, in the language of its readers: %s', (text) => {
    expect(find('?', `<p>${text}</p>`)).toBe('doubt: error');
  });
});
