/**
 * What words commonly mean on sites and in goals, without accents and in the singular. Each entry is one kind of field;
 * a word may stand in several.
 */
import { stem } from './stem.ts';

const fields = `
title: title name headline heading caption subject titel titre titulo titolo uberschrift schlagzeile nom nombre nome naam namn navn bezeichnung naslov tytul nazwa nazev название заголовок 名 名前 商品名 名称 이름 标题 タイトル titular titulare manchete kop overskrift nadpis nazvem nazvy naglowek benaming denominazione designation benennung benamning
price: price cost preis prix precio prezzo preco prijs pris fee tarif tarifa kosten coste costo cena цена стоимость 価格 值段 価値 价格 料金 家賃 费用 가격 rent miete loyer alquiler amount pricing charge huur affitto aluguel hyra husleje czynsz najem belopp prezzi ceny hinta gebuhr gebuehr entgelt kursgebuhr
url: url link href permalink webpage enlace lien verweis website webseite homepage weblink ссылка lank odkaz lenke odnosnik collegamento koppeling
image: image img photo picture thumbnail thumb cover poster avatar logo icon foto bild imagen immagine photograph pic zdjecie изображение 画像 图片 billede bilde obrazek afbeelding imagem fotka fotografie
date: date time published posted publication pubdate datepublished created updated modified when day datetime deadline closing start datum fecha data termin zeit tag veroffentlicht erschienen jour beginn begin дата 日付 日期 dato tidpunkt dag giorno dia dzien publicerad opublikowano dagen
author: author 著者 writer byline creator autor auteur autore verfasser by artist speaker user username submitter nick nickname handle commenter reviewer poster starter op редактор автор 作者 uploader contributor member who reporter interpret kunstler host presenter photographer fotograf fotografo photographe agent forfatter forfattare schrijver skribent spreker relatore ponente prelegent conferencier foredragsholder konstnar taler instructor teacher lecturer tutor trainer coach dozent dozentin kursleiter kursleitung leitung referent lehrer docente profesor docent
rating: rating star note bewertung grade score stars sterne sterren stelle etoile estrella beoordeling valoracion calificacion avis nota ratingvalue ocena hodnoceni betyg bedommelse vurdering valutazione avaliacao puntuacion punteggio 評価 評点 评分 평점
score: score point vote upvote like karma
closing: closing close deadline expire expiry expiration validthrough through until due frist scadenza plazo prazo
description: description summary desc excerpt abstract teaser snippet blurb intro lead overview beschreibung dek standfirst resume descripcion descrizione kurzbeschreibung zusammenfassung subtitle subheading описание popis opis beskrivelse beskrivning omschrijving beschrijving descricao resumo resumen samenvatting sammanfattning sammendrag riassunto streszczenie
location: location place city venue harbour harbor port borough county province where region town ort lieu ciudad standort address adresse direccion indirizzo stadt ville lugar luogo citta gemeinde stad plats area district neighborhood neighbourhood locality settlement site plaat woonplaat locatie localita comune provincia cidade localizacao miasto miejscowosc lokalizacja miejsce sted kommune mesto misto lokalita obec ubicacion localidad municipio commune quartier wijk emplacement station island parish municipality kommun concelho localite endereco adresa adres エリア 地域 場所 住所 所在地 勤務地 地区 地点 地址 지역
company: company agent agency employer organization organisation firm business firma hiringorganization organizer arbeitgeber unternehmen entreprise empresa azienda employeur veranstalter publisher airline carrier operator arbeidsgiver arbetsgivare arbejdsgiver virksomhed bedrift foretag bedrijf werkgever ditta impresa pracodawca zamestnavatel spolecnost empregador empleador organizzatore organisateur organizador arrangor organizator poradatel organisator issuer emittent betreiber exploitant operador operatore aanbieder
brand: brand manufacturer maker vendor hersteller marke marque marca make merk label marka znacka maerke varumarke fabricante fabrikant produttore fabricant producent vyrobce
seller: seller vendor merchant shop store verkaufer retailer supplier dealer verkoper venditore vendedor vendeur saljare saelger selger sprzedawca prodejce
salary: salary pay wage compensation gehalt lohn remuneration salaire salario earning lonn sueldo stipendio retribuzione salaris loon wynagrodzenie pensja mzda remuneracao
availability: availability available stock instock inventory verfugbarkeit lager disponibilite disponibilidad verfugbar lieferbar status beschikbaarheid disponibilita tillganglighet tilgjengelighet lagerstatus voorraad dostepnosc dostupnost estoque
category: category genre section department type topic kategorie rubrik categorie categoria field subject abteilung bereich kind class kategoria kategori rubriek rubrique afdeling avdelning avdeling dzial sekce seccion secao sezione sectie onderwerp tema genero genere gatunek zanr tipo typ
tag: tag keyword label topic schlagwort hashtag etiqueta
comment: comment reply response discussion kommentar commentaire comentario antwort reactie commento komentarz komentar
answer: answer reply response antwort reponse respuesta risposta resposta accepted odpowiedz odpoved svar antwoord
question: question frage pregunta domanda pergunta faq summary vraag pytanie otazka fraga sporgsmal sporsmal
review: review opinion bewertung avis resena testimonial
text: text body content message articlebody reviewbody comment post nachricht inhalt texte texto tekst testo post paragraph
quote: quote quotation zitat citation
phone: phone telephone tel telefon mobile telefono fone telefonnummer fax call telefoon telefone tlf
email: email mail epost correo courriel correio
extension: extension ext durchwahl
view: view hit visit read aufruf vue impression
id: id identifier sku isbn number nr ref reference artikelnummer nummer numero no asin ean gtin numer cislo
code: code symbol ticker abbreviation iata iso
size: size length dimension metro cuadrado cuadrados quadrato quadrati quadrado quadrados carre quadratmeter vierkante kvadratmeter m2 m² grosse taille tamano width height area superficie surface flache wohnflache sqft footage square feet foot meter metre sqm tamanho rozmiar velikost storrelse storlek oppervlakte powierzchnia plocha areal boyta boarea metraz metratura dimensioni afmeting kvm woonoppervlakte
height: height elevation hohe altitude hauteur altura tall altezza hoogte wysokosc vyska hojd hojde hoyde
ascent: ascent elevation gain climb climbing aufstieg hohenmeter denivele desnivel dislivello
length: length lange distance lengte longueur longitud lunghezza comprimento dlugosc delka langd laengde lengde
distance: distance mileage kilometerstand km mile kilometre kilometer kilometro chilometro chilometri chilometraggio kilometrage laufleistung odometer kilometraje quilometragem przebieg najeto tachometer miltal afstand avstand distanza distancia odleglosc vzdalenost entfernung distanz
quantity: quantity qty count menge quantite cantidad number amount total anzahl hoeveelheid ilosc liczba pocet antal antall aantal quantidade quantita
duration: duration runtime length dauer duree duracion durata time totaltime cooktime preptime laufzeit minute duur duracao varighed varighet trvani leestijd reistijd
year: year vintage jahr annee ano anno jahrgang baujahr released release rok jaar bouwjaar rocznik rocnik arsmodell byggar arstal
ingredient: ingredient zutat ingrediente recipeingredient skladnik surovina ingrediens
instruction: instruction step method direction zubereitung etape paso recipeinstruction preparation
position: position rank place # pos platz rang ranking positie posicion posizione posicao pozycja miejsce plassering plats
change: change delta diff veranderung variation
country: country nation land pays pais paese nationality zeme kraj
definition: definition meaning explanation bedeutung
term: term word begriff
version: version release
status: status state zustand condition stand stan statut
condition: condition zustand state weather sky forecast outlook stav stan tillstand tilstand toestand estado condizione etat pogoda pocasi vejr vaer vader meteo wetter weer clima
difficulty: difficulty level schwierigkeit difficulte dificultad niveau schwierigkeitsgrad moeilijkheid dificuldade difficolta trudnosc obtiznost svarighetsgrad svaerhedsgrad vanskelighetsgrad grade
room: room zimmer habitacion piece bedroom chambre hab bed bd bds bdrm dormitorio kamer pokoj vaerelse locali quarto sovrum saal sala salle sal zaal hall auditorium screen camera raum
serving: serving serve portion yield personne persona ration personen portie porzione porcao porcja porce
weight: weight gewicht poid peso mass vekt vikt vaegt waga hmotnost
capacity: capacity storage memory speicher volume kapazitat capacite capacidad capacita kapacitet
processor: processor cpu chip prozessor
memory: memory ram
storage: storage ssd disk hdd capacity
high: high max maximum hi tmax maxima maximo massima massimo maximale hochst hochste hochsttemperatur hogste najwyzsza
low: low min minimum lo tmin minima minimo minimale tiefst tiefste laagste najnizsza
temperature: temperature temp temperatur temperatura temperatuur teplota
chance: chance probability precipitation probabilidad probabilita probabilite wahrscheinlichkeit probabilidade kans
discount: discount saving rabatt remise descuento off sconto desconto korting rabat sleva znizka
old: old was original regular before previous former rrp msrp compare alt alter alte altes alten vorher uvp strike ancien ancienne barre antiguo anterior antes vecchio precedente oud oude gammal stara stary
new: current now sale new deal offer final special today aktuell actual discounted
team: team club klub side mannschaft equipe equipo squadra ploeg druzyna equipa tym verein vereniging klubb
played: played matche game mp gp p rozegrane mecze mecz spiele partidos partite jogos gespeeld kamper
won: won win w
lost: lost loss lose l
drawn: drawn draw d
goal: goal gf tor
job: job occupation role profession position function jobtitle stanowisko pozice stilling befattning functie puesto ruolo beruf
website: website url site homepage web link webbplats hjemmeside nettside
hour: hour opening time schedule openinghour offnungszeit horaire openingstijd apningstid oppettid abningstid horario orario
population: population inhabitant pop einwohner habitant habitante abitante inwoner mieszkaniec obyvatel innbygger indbygger invanare bewohner populacao
language: language lang sprache langue idioma taal lingua jezyk jazyk sprog sprak lingva
color: color colour farbe couleur kleur colore kolor barva farve farge farg
material: material
album: album record release
song: song track title
director: director regie filmmaker
actor: actor cast starring
calorie: calorie kcal energy
platform: platform track gleis quai binario spoor anden peron nastupiste bahnsteig
destination: destination to ziel destino destinazione bestemming kierunek richtung cil retning
origin: origin from herkunft departure
download: download installation install
license: license licence
owner: owner besitzer proprietor
transmission: transmission gearbox gear getriebe schaltung cambio boite versnellingsbak skrzynia prevodovka vaxellada girkasse gearkasse
fuel: fuel petrol gas diesel carburante carburant kraftstoff combustible combustivel brandstof treibstoff bransle paliwo palivo drivstoff energie
registration: registration registered immatricolazione immatriculation matriculacion erstzulassung zulassung calendar
role: role position job function title jobtitle
gender: gender sex
age: age alter eta edad idade wiek leeftijd alder
currency: currency pricecurrency wahrung
open: open
bathroom: bathroom bath ba bathtub badezimmer bagno bano banheiro badkamer badrum lazienka koupelna
volume: volume vol
percent: percent percentage % pct prozent prozentual pourcentage pourcent porcentaje porcentual percentuale percentual percentagem procent procentowa
checksum: checksum sha sha1 sha256 sha512 md5 hash digest prufsumme fingerprint
wind: wind viento vent vento wiatr vind
address: address adresse adres direccion indirizzo endereco adress adresa anschrift street strasse rue calle via
format: format filetype dateiformat formato filformat bestandsformaat
clock: uhrzeit heure hora ora orario tijd tid godzina cas kickoff anpfiff uur czas klokkeslett tidspunkt
`;

/** Each line: words for the same kind of thing, which a goal speaks of but which are no fields. */
const things = `
job stilling jobb praca prace vacature vaga position role vacancy opening career stelle stellenangebot stellenanzeige emploi empleo
staff people person member employee team contact colleague faculty mitarbeiter
car bil samochod carro vehicle auto wagen coche voiture
house bolig bostad mieszkanie byt woning property home apartment flat estate wohnung immobilie haus piso casa inmueble appartement listing rental
movie film
story nyhet nyhed nieuws zprava wiadomosc notizia news article post headline blog entry artikel beitrag nachricht noticia actualite
shop store market branch outlet laden filiale geschaft tienda location
course class lesson training programme program kurs curso
event evenement wydarzenie arrangement evenemang akce evento show concert gig happening calendar veranstaltung konzert evento evenement festival
book boek bok bog ksiazka kniha livro novel title buch libro livre
recipe oppskrift opskrift recept przepis receita ricetta dish meal food rezept receta recette gericht menu
hotel accommodation lodging
restaurant cafe eatery
plant flower pflanze
animal pet
club klub team
product item article good goods produkt artikel producto produit prodotto merchandise offer deal tuote товар 商品
song track chart single
thread topic discussion question conversation
release version changelog update
weather forecast
`;

const listOf = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\w+: /, '').split(' '));

const kinds = fields.trim().split('\n');
const byWord = new Map<string, Set<number>>();
for (const [index, words] of [...listOf(fields), ...listOf(things)].entries())
  for (const word of words.flatMap((one) => [one, stem(one)]))
    byWord.set(word, (byWord.get(word) ?? new Set()).add(index));

/** Longer ones are no words. */
const maxWord = 40;

/** `prezzi` of prezzo, `ceny` and `cenou` of cena, `datem` of datum. */
function pluralOf(word: string): Set<number> | undefined {
  const [, base] = /^(\p{L}{3,}?)(?:i|y|u|em|ou|ow|om|ami)$/u.exec(word) ?? [];
  if (base === undefined) return undefined;
  for (const end of ['', 'o', 'a', 'e', 'um']) {
    const found = byWord.get(base + end);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Written without spaces: what a word is about stands last in it. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\d]+$/u;

/** The groups of meaning that a word stands in; a compound (`verkaufspreis`) has those of its last part. */
export function meaningsOf(word: string): ReadonlySet<number> {
  if (word.length > maxWord) return nothing;
  const own = byWord.get(word) ?? byWord.get(word.replace(/(?<=.{4})(?:e|n|en|er)$/, '')) ?? pluralOf(word);
  if (own !== undefined) return own;
  if (word.length >= 8)
    for (let from = 3; from <= word.length - 4; from++) {
      const part = byWord.get(word.slice(from));
      if (part !== undefined) return part;
    }
  if (unspaced.test(word))
    for (let from = 1; from < word.length; from++) {
      const part = byWord.get(word.slice(from));
      if (part !== undefined) return part;
    }
  return nothing;
}
const nothing: ReadonlySet<number> = new Set();

/** Whether the word names a kind of field that many sites have. */
export function isFieldWord(word: string): boolean {
  for (const index of meaningsOf(word)) if (index < kinds.length) return true;
  return false;
}

/** Whether the word names a kind of thing that sites list. */
export function isThing(word: string): boolean {
  for (const index of meaningsOf(word)) if (index >= kinds.length) return true;
  return false;
}

/** Whether the word names this kind of field, by the kind's first word. */
export function isKind(word: string, kind: string): boolean {
  const index = indexes.get(kind);
  return index !== undefined && meaningsOf(word).has(index);
}
const indexes = new Map(kinds.map((line, index) => [line.slice(0, line.indexOf(':')), index] as const));
