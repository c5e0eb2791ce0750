/**
 * What words commonly mean on sites and in goals, without accents and in the singular. Each entry is one kind of field;
 * a word may stand in several.
 */
const fields = `
title: title name headline heading caption subject titel titre titulo titolo uberschrift schlagzeile nom nombre nome naam namn navn bezeichnung naslov tytul nazwa nazev название заголовок 名前 商品名 名称 标题 タイトル
price: price cost preis prix precio prezzo preco prijs pris fee tarif tarifa kosten coste costo cena цена стоимость 価格 值段 価値 价格 rent miete loyer alquiler amount pricing charge
url: url link href permalink webpage enlace lien verweis website webseite homepage weblink ссылка
image: image img photo picture thumbnail thumb cover poster avatar logo icon foto bild imagen immagine photograph pic picture zdjecie изображение 画像 图片
date: date time published posted publication pubdate datepublished created updated modified when day datetime deadline closing start datum fecha data termin zeit tag veroffentlicht erschienen jour beginn start begin datetime дата 日付 日期
author: author writer byline creator autor auteur autore verfasser by artist speaker user username submitter nick nickname handle commenter reviewer poster starter op редактор автор 作者 uploader contributor member who reporter interpret kunstler host presenter
rating: rating star note bewertung grade score stars sterne sterren stelle etoile estrella beoordeling valoracion calificacion avis nota ratingvalue
score: score point vote upvote like karma
closing: closing close deadline expire expiry expiration validthrough through until due
description: description summary desc excerpt abstract teaser snippet blurb intro lead overview beschreibung dek standfirst resume descripcion descrizione kurzbeschreibung zusammenfassung subtitle subheading описание
location: location place city venue harbour harbor port borough county province where region town ort lieu ciudad standort address adresse direccion indirizzo stadt ville lugar luogo citta gemeinde stad plats area district neighborhood neighbourhood locality settlement site
company: company employer organization organisation firm business firma hiringorganization organizer arbeitgeber unternehmen entreprise empresa azienda employeur veranstalter publisher airline carrier operator
brand: brand manufacturer maker vendor hersteller marke marque marca make merk label
seller: seller vendor merchant shop store verkaufer retailer supplier dealer
salary: salary pay wage compensation gehalt lohn remuneration salaire salario earning
availability: availability available stock instock inventory verfugbarkeit lager disponibilite disponibilidad verfugbar lieferbar status
category: category genre section department type topic kategorie rubrik categorie categoria field subject abteilung bereich kind class
tag: tag keyword label topic schlagwort hashtag etiqueta
comment: comment reply response discussion kommentar commentaire comentario antwort
answer: answer reply response antwort reponse respuesta risposta resposta accepted
question: question frage pregunta domanda pergunta faq summary
review: review opinion bewertung avis resena testimonial
text: text body content message articlebody reviewbody comment post nachricht inhalt texte texto tekst testo post paragraph
quote: quote quotation zitat citation
phone: phone telephone tel telefon mobile telefono fone telefonnummer fax call
email: email mail
view: view hit visit read aufruf vue impression
id: id identifier sku isbn number nr ref reference artikelnummer nummer numero no asin ean gtin
code: code symbol ticker abbreviation iata iso
size: size length dimension grosse taille tamano width height area superficie surface flache wohnflache sqft footage square feet foot meter metre sqm
height: height elevation hohe altitude hauteur altura tall
length: length lange distance
distance: distance mileage kilometerstand km mile kilometre kilometer kilometro chilometro chilometri chilometraggio kilometrage laufleistung odometer
quantity: quantity qty count menge quantite cantidad number amount total anzahl
duration: duration runtime length dauer duree duracion durata time totaltime cooktime preptime laufzeit minute
year: year vintage jahr annee ano anno jahrgang baujahr released release
ingredient: ingredient zutat ingrediente recipeingredient
instruction: instruction step method direction zubereitung etape paso recipeinstruction preparation
position: position rank place # pos platz rang ranking
change: change delta diff veranderung variation
country: country nation land pays pais paese nationality
definition: definition meaning explanation bedeutung
term: term word begriff
version: version release
status: status state zustand condition stand
condition: condition zustand state weather sky forecast outlook
difficulty: difficulty level schwierigkeit difficulte dificultad niveau schwierigkeitsgrad
room: room zimmer habitacion piece bedroom chambre hab bed dormitorio
serving: serving portion yield personne persona ration personen
weight: weight gewicht poid peso mass
capacity: capacity storage memory speicher volume
processor: processor cpu chip prozessor
memory: memory ram
storage: storage ssd disk hdd capacity
high: high max maximum hi tmax
low: low min minimum lo tmin
temperature: temperature temp
chance: chance probability precipitation
discount: discount saving rabatt remise descuento off
old: old was original regular before previous former rrp msrp compare alt alter alte altes alten vorher uvp strike ancien ancienne barre antiguo anterior antes vecchio precedente oud oude gammal stara stary
new: current now sale new deal offer final special today aktuell actual discounted
team: team club side mannschaft equipe
played: played matche game mp gp p
won: won win w
lost: lost loss lose l
drawn: drawn draw d
goal: goal gf tor
job: job occupation role profession position function jobtitle
website: website url site homepage web link
hour: hour opening time schedule openinghour offnungszeit horaire
population: population inhabitant pop einwohner
language: language lang sprache langue idioma
color: color colour farbe couleur
material: material
album: album record release
song: song track title
director: director regie filmmaker
actor: actor cast starring
calorie: calorie kcal energy
platform: platform track gleis quai
destination: destination to ziel
origin: origin from herkunft departure
download: download installation install
license: license licence
owner: owner besitzer proprietor
transmission: transmission gearbox gear getriebe schaltung cambio boite versnellingsbak skrzynia
fuel: fuel petrol gas diesel carburante carburant kraftstoff combustible combustivel brandstof treibstoff bransle paliwo
registration: registration registered immatricolazione immatriculation matriculacion erstzulassung zulassung calendar
role: role position job function title jobtitle
gender: gender sex
age: age alter
currency: currency pricecurrency wahrung
open: open
volume: volume vol
percent: percent percentage % pct prozent prozentual pourcentage pourcent porcentaje porcentual percentuale percentual percentagem procent procentowa
checksum: checksum sha sha1 sha256 sha512 md5 hash digest prufsumme fingerprint
clock: uhrzeit heure hora ora orario tijd tid godzina cas kickoff anpfiff
`;

/** Each line: words for the same kind of thing, which a goal speaks of but which are no fields. */
const things = `
job position role vacancy opening career stelle stellenangebot stellenanzeige emploi empleo
staff people person member employee team contact colleague faculty mitarbeiter
car vehicle auto wagen coche voiture
house property home apartment flat estate wohnung immobilie haus piso casa inmueble appartement listing rental
movie film
story news article post headline blog entry artikel beitrag nachricht noticia actualite
shop store market branch outlet laden filiale geschaft tienda location
course class lesson training programme program kurs curso
event show concert gig happening calendar veranstaltung konzert evento evenement festival
book novel title buch libro livre
recipe dish meal food rezept receta recette gericht menu
hotel accommodation lodging
restaurant cafe eatery
plant flower pflanze
animal pet
club team
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
  for (const word of words) byWord.set(word, (byWord.get(word) ?? new Set()).add(index));

/** Longer ones are no words. */
const maxWord = 40;

/** The groups of meaning that a word stands in; a compound (`verkaufspreis`) has those of its last part. */
export function meaningsOf(word: string): ReadonlySet<number> {
  if (word.length > maxWord) return nothing;
  const own = byWord.get(word) ?? byWord.get(word.replace(/(?<=.{4})(?:e|n|en)$/, ''));
  if (own !== undefined) return own;
  if (word.length >= 8)
    for (let from = 3; from <= word.length - 4; from++) {
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
