/**
 * Goals as people and programs type them: what a careful reader takes each for. A line is
 * `goal => fields | subject | many`, where `¶` stands for a new line, `*` marks a field that is asked for where there
 * is any, and `many` is `many`, `one` or `open`. Fields that are only implied are left out.
 */
export const goals: Readonly<Record<string, string>> = {
  shops: `
Get every boat with its owner, the year it was built and its length in metres. Fields: boat, owner, built, length => boat, owner, built, length | boat | many
List all products with name, price and rating => name, price, rating | product | many
name and price of all garden chairs => name, price | garden chair | many
Give me product name, price and link => product_name, price, link | | open
products: title + link + price => title, link, price | product | many
all lamps (name, price in euros, availability) => name, price, availability | lamp | many
what does each tea cost? => cost | tea | many
how much each coffee costs => price | coffee | many
How much does the Brixton lamp cost? => price | brixton lamp | one
Get the price, weight (kg) and dimensions (W x D x H) of this desk => price, weight, dimensions | desk | one
I want to compare laptops by price, weight and battery life => price, weight, battery_life | laptop | many
for each shoe: brand, model, price, available sizes => brand, model, price, available_sizes | shoe | many
every product's name and price => name, price | product | many
all wines with vintage, price per bottle and whether they are in stock => vintage, price_per_bottle, availability | wine | many
Sneakers with old and new price => old_price, new_price | sneaker | many
Sneakers with brand, original and discounted price => brand, original_price, discounted_price | sneaker | many
product names, prices and image urls => product_name, price, image_url | | many
Extract product title, current price, list price (if any), star rating (out of 5), number of ratings and link. => product_title, current_price, list_price*, star_rating, number_of_ratings, link | | open
Scrape all phones: name, price, storage (GB), colour, no accessories => name, price, storage, colour | phone | many
List the bikes with name and price, excluding accessories => name, price | bike | many
bikes with name, price and frame size. Skip the ads. => name, price, frame_size | bike | many
Only the sofas, not the cushions: name, price, material => name, price, material | sofa | many
All toys with name and price, sorted by price => name, price | toy | many
All toys with name, price and age group, ordered by price descending, as JSON => name, price, age_group | toy | many
give me a table of all kettles with brand, capacity and price => brand, capacity, price | kettle | many
please could you get me the name, the price and the stock of every guitar? thanks! => name, price, stock | guitar | many
Hi! I'd like a list of all the perfumes, with their brand, their size in ml and their price. Thank you => brand, size, price | perfume | many
price, sku and availability => price, sku, availability | | open
the price of this chair => price | chair | one
productName, unitPrice, imageUrl, inStock => product_name, unit_price, image_url, in_stock | | open
Return an array of objects {title, price, url} for all items => title, price, url | | many
all items as JSON: {"name": "string", "price": "number", "in_stock": "boolean"} => name, price, in_stock | | many
[{"title": "...", "price": 0.0, "link": "https://..."}] => title, price, link | | many
Get all candles:¶- name¶- price¶- scent => name, price, scent | candle | many
Get all candles.¶* name (string)¶* price (number)¶* burn time (hours) => name, price, burn_time | candle | many
Products¶1. title¶2. price¶3. seller => title, price, seller | product | many
Extract from the shop page:¶• Name: the name of the product¶• Price: the price in dollars¶• URL: link to the product => name, price, url | shop | open
name: string, price: number, rating: float => name, price, rating | | open
List garden tools. Fields: name, price, brand => name, price, brand | garden tool | many
Garden tools; columns: name, price, brand => name, price, brand | garden tool | many
I need the columns brand, model and price of all drills => brand, model, price | drill | many
drills - brand, model, price => brand, model, price | drill | many
Fetch every deal: product, old price if reduced, new price, and the discount in percent => product, old_price*, new_price, discount | deal | many
name/price/brand of all mowers => name, price, brand | mower | many
list all the sunglasses on the first page with name, price and photo => name, price, photo | sunglass | many
name, price, link of all watches on the first page => name, price, link | watch | many
products with title, price (without tax) and delivery time => title, price, delivery_time | product | many
what products are on sale and how much do they cost? => price | product | many
prices of all espresso machines => price | espresso machine | many
all coffee makers together with their prices and ratings => price, rating | coffee maker | many
The shop's products with title and price, no sponsored ones => title, price | product shop | many
get "product title", "price" and "reviews count" for all products => product_title, price, reviews_count | product | many
Monitor the price of the Alpine tent => price | alpine tent | one
`,
  jobs: `
all jobs with title, company, location and salary => title, company, location, salary | job | many
List open positions: job title, department, location, when it was posted => job_title, department, location, posted | open position | many
job title, employer, who to contact and application deadline of this vacancy => job_title, employer, who_contact, application_deadline | vacancy | one
vacancies (title, team, office, employment type, link to apply) => title, team, office, employment_type, link_to_apply | vacancy | many
For all jobs I need: title, company name, city, date posted (YYYY-MM-DD) and the link to the job => title, company_name, city, date_posted, link | job | many
I'm looking for nursing jobs. Please give me the title, hospital, ward and pay of each. => title, hospital, ward, pay | nursing job | many
minimum and maximum salary of each job => minimum_salary, maximum_salary | job | many
jobs with min/max salary and closing date => min_salary, max_salary, closing_date | job | many
get me all the internships, with company + city + start date + duration (months) => company, city, start_date, duration | internship | many
careers page: role, team, location, remote or not => role, team, location, remote* | career | many
`,
  property: `
all flats with address, rent, rooms and size in square metres => address, rent, rooms, size | flat | many
Apartments for rent: price per month, bedrooms, bathrooms, floor area (m²), street => price_per_month, bedrooms, bathrooms, floor_area, street | apartment rent | many
houses with address (street and town), asking price, number of bedrooms and estate agent => address, asking_price, number_of_bedrooms, estate_agent | house | many
what is the rent, the deposit and the size of this flat? => rent, deposit, size | flat | one
How many rooms does each flat have, how much is the rent and which district is it in? => number_of_rooms, price, district | flat | many
listings with title, price, beds, baths, sqft, and agent's phone => title, price, beds, baths, sqft, agent_phone | | many
I want to know which flats are free, where they are and what they cost => location, cost | flat | many
`,
  cars: `
used cars: make, model, year, mileage, price => make, model, year, mileage, price | car | many
every car with make and model, mileage (km), first registration, fuel and price => make, model, mileage, first_registration, fuel, price | car | many
Cars under 10,000 euros with model, price, mileage and seller (dealer or private) => model, price, mileage, seller | car | many
car's model, price, horsepower, and fuel type => model, price, horsepower, fuel_type | car | open
`,
  events: `
upcoming events with title, date, venue and ticket price => title, date, venue, ticket_price | event | many
concerts: artist, venue, date, doors open => artist, venue, date, doors_open | concert | many
Which concerts are on, when and where, and what do the tickets cost? => date, location, cost | concert ticket | many
all talks with title, speaker, start and end time and room (no breaks) => title, speaker, start_time, end_time, room | talk | many
the date, time and place of the next meeting => date, time, place | meeting | one
exhibitions – title, opening date, closing date, admission => title, opening_date, closing_date, admission | exhibition | many
events, i.e. title, date (dd.mm.yyyy), location (city) and organiser => title, date, location, organiser | event | many
workshops with title, date, trainer, free places, e.g. 3 of 12, and fee => title, date, trainer, free_places, fee | workshop | many
what's on this week? title, day, time, venue => title, day, time, venue | week | open
festival lineup: act, stage, day, time => act, stage, day, time | festival lineup | open
cinema programme with film, hall, times, language version and age rating => film, hall, times, language_version, age_rating | cinema programme | open
`,
  news: `
latest news: headline, link, date and short summary => headline, link, date, short_summary | news | many
Get the headlines and links of all articles on the front page => headline, link | article | many
blog posts with title, who wrote it and when => title, who_wrote, date | blog post | many
Posts with title, date published, author and tags, newest first => title, date_published, author, tags | post | many
the article's headline, author, publication date and full text => headline, author, publication_date, full_text | article | one
Read this article and give me the title, author and body text => title, author, body_text | article | one
When was this article published and who wrote it? => published, who_wrote | article | one
title, link and when it was published for every post => title, link, published | post | many
I want the news without the videos: title, time, section, link => title, time, section, link | news | many
headlines + links + reporter + date => headlines, links, reporter, date | | open
press releases: title, date, link to the PDF => title, date, link_to_pdf | press release | many
top stories with headline and teaser; ignore ads and sponsored content => headline, teaser | story | many
`,
  forums: `
threads with title, who started it, number of replies, views and the date of the last post => title, who_started, number_of_replies, views, date_of_last_post | thread | many
all comments: author, text, score, posted at => author, text, score, posted_at | comment | many
author, date and text of every post in this thread => author, date, text | post thread | many
questions with votes, answers, views and tags => vote, answer, view, tag | question | many
Extract the title, points, user and number of comments of each story => title, points, user, number_of_comments | story | many
reviews: reviewer, stars, date, text, helpful votes => reviewer, stars, date, text, helpful_votes | review | many
how many members, topics and posts each board has => number_of_members, topics, posts | board | many
`,
  recipes: `
recipe name, prep time, cook time, servings and the list of ingredients => recipe_name, prep_time, cook_time, servings, ingredients | | open
the ingredients, steps and prep time of this recipe => ingredients, steps, prep_time | recipe | one
prep and cook time, servings and calories of all recipes => prep_time, cook_time, servings, calories | recipe | many
all dishes with name, description, price and allergens => name, description, price, allergens | dish | many
menu: dish, description, price (£), vegetarian or not => dish, description, price, vegetarian* | menu | open
How long does it take, how many people does it serve and what are the ingredients? => duration, number_of_people, ingredients | | open
cocktails with name, ingredients (with amounts), glass and garnish => name, ingredients, glass, garnish | cocktail | many
`,
  sport: `
league table with position, team, played, won, drawn, lost, points => position, team, played, won, drawn, lost, points | league | many
fixtures: date, home and away team, kick-off => date, home_team, away_team, kick_off | fixture | many
match results with home team, away team, home score and away score => home_team, away_team, home_score, away_score | match | many
results: date, home and away team, home and away score => date, home_team, away_team, home_score, away_score | | many
players with shirt number, name, position, age, goals => shirt_number, name, position, age, goals | player | many
top scorers: player, club, goals, assists, minutes per goal => player, club, goals, assists, minutes_per_goal | scorer | many
marathon results (rank, runner, nationality, gun time, net time) => rank, runner, nationality, gun_time, net_time | marathon | many
upcoming matches: opponent, match date, start time, home or away => opponent, match_date, start_time, home_or_away | match | many
first and last name, club and best time of each swimmer => first_name, last_name, club, best_time | swimmer | many
`,
  weather: `
forecast by day: maximum and minimum temperature, conditions, probability of rain (%), wind in km/h => maximum_temperature, minimum_temperature, conditions, probability_of_rain, wind | forecast day | open
current temperature, humidity and wind speed in Oslo => current_temperature, humidity, wind_speed | oslo | open
7-day forecast with date, high and low (°C), chance of rain and UV index => date, high, low, chance_of_rain, uv_index | day forecast | open
tides: date, time, type (high or low), height (m) => date, time, type, height | tide | many
weather stations with elevation, temperature and when it was last updated => elevation, temperature, last_updated | weather station | many
What's the weather like today? temperature, rain, wind => temperature, rain, wind | weather | open
sunrise and sunset times for each day => sunrise_time, sunset_time | day | many
hourly forecast: time, temp, feels like, precipitation => time, temp, feels_like, precipitation | hourly forecast | open
`,
  travel: `
hotels with name, stars, guest score and price per night => name, stars, guest_score, price_per_night | hotel | many
I would like to compare hotels: hotel name, price per night, distance from the centre => hotel_name, price_per_night, distance_from_centre | hotel | many
campsites: name, region, pitches, opening months, phone/e-mail => name, region, pitches, opening_months, phone, email | campsite | many
flights: airline, flight no., departure and arrival time, stops, price => airline, flight_no, departure_time, arrival_time, stops, price | flight | many
cruises with ship, from, to, nights and price from => ship, from, to, nights, price_from | cruise | many
hikes with name, length (km), ascent (m), duration and difficulty (easy/medium/hard) => name, length, ascent, duration, difficulty | hike | many
tours: title, price per person, duration, what is included => title, price_per_person, duration, included | tour | many
ferries with departure and arrival time, ship and days of operation => departure_time, arrival_time, ship, days_of_operation | ferry | many
`,
  timetables: `
list today's departures: time, destination, platform, operator and status => time, destination, platform, operator, status | departure | many
next trains with time, destination and which platform it leaves from => time, destination, platform | train | many
arrivals board: flight, origin, scheduled and estimated time, gate, status => flight, origin, scheduled_time, estimated_time, gate, status | arrival board | open
next departures: route number, where it goes, departure time and stand => route_number, destination, departure_time, stand | departure | many
bus stops of line 12: stop name, arrival time => stop_name, arrival_time | bus stop line | many
opening times: day, opens, closes => day, opens, closes | opening time | many
`,
  finance: `
stocks: symbol, company, last price, change (%), volume => symbol, company, last_price, change, volume | stock | many
opening and closing price, high, low and volume of each share => opening_price, closing_price, high, low, volume | share | many
exchange rates: currency, buy, sell => currency, buy, sell | exchange rate | many
currencies with code, buying and selling rate => code, buying_rate, selling_rate | currency | many
coin, symbol, price in USD, 24h change, market cap => coin, symbol, price, _24h_change, market_cap | | open
savings accounts with bank, interest rate (% p.a.), minimum deposit and term => bank, interest_rate, minimum_deposit, term | saving account | many
funds - name, ISIN, NAV, daily change, TER => name, isin, nav, daily_change, ter | fund | many
The current gold price per ounce => price_per_ounce | gold | one
market cap, P/E ratio and dividend yield for each company => market_cap, pe_ratio, dividend_yield | company | many
`,
  science: `
papers: title, authors, journal, year, doi => title, authors, journal, year, doi | paper | many
earthquakes with magnitude, depth (km), place and time (UTC) => magnitude, depth, place, time | earthquake | many
species with Latin name, common name, family, IUCN status => latin_name, common_name, family, iucn_status | species | many
planets with diameter, mass, number of moons and distance from the sun => diameter, mass, number_of_moons, distance_from_sun | planet | many
date of birth, place of birth and field of each laureate => date_of_birth, place_of_birth, field | laureate | many
elements with symbol, atomic number, melting and boiling point => symbol, atomic_number, melting_point, boiling_point | element | many
`,
  government: `
tenders with title, reference number, contracting authority, deadline and estimated value => title, reference_number, contracting_authority, deadline, estimated_value | tender | many
members of parliament: name, party, constituency, email => name, party, constituency, email | parliament member | many
council meetings with date, time, committee and a link to the minutes => date, time, committee, link_to_minutes | council meeting | many
planning applications: reference, address, description, date received, status => reference, address, description, date_received, status | planning application | many
datasets (title; publisher; formats; last updated) => title, publisher, formats, last_updated | dataset | many
recalls with product, brand, reason, date of recall => product, brand, reason, date | recall | many
schools – name, type of school, head teacher, number of pupils => name, type, head_teacher, number_of_pupils | school | many
`,
  directories: `
staff directory: name, role, email and phone number of everyone => name, role, email, phone_number | staff directory | many
Names, positions, e-mail addresses and phone numbers of the lawyers => name, position, email_address, phone_number | lawyer | many
doctors with the doctor's name, specialty, GMC number and phone number => name, specialty, gmc_number, phone_number | doctor | many
branches with address, phone and opening hours on Saturdays => address, phone, opening_hours_on_saturdays | branch | many
company's name, address, number of employees and CEO => name, address, number_of_employees, ceo | company | open
all pharmacies: name, street, postcode, town, phone no. => name, street, postcode, town, phone_no | pharmacy | many
members with full name, email (if given) and website => full_name, email*, website | member | many
every breweries' name, city and year founded => name, city, year_founded | brewery | many
clubs with name, contact person, their phone and their website => name, contact_person, phone, website | club | many
I need its name, its address, its opening hours => name, address, opening_hours | | open
speakers and their companies => company | speaker | many
`,
  software: `
package_name, version, file_size, sha256_checksum of all packages => package_name, version, file_size, sha256_checksum | package | many
repositories: name, description, language, stars, forks, last commit => name, description, language, stars, forks, last_commit | repository | many
changelog: version, release date, changes => version, release_date, changes | changelog | open
list every download: file name, size (e.g. 12 MB), date, sha256, download url => file_name, size, date, sha256, download_url | download | many
commands with name, synopsis and description => name, synopsis, description | command | many
plugins {name, author, installs, rating} => name, author, installs, rating | plugin | many
open issues with number, title, labels, opened by and how old it is => number, title, labels, opened_by, age | open issue | many
API endpoints: method, path, description => method, path, description | endpoint | many
extract \`id\`, \`title\` and \`severity\` for all advisories => id, title, severity | advisory | many
models with name, parameters, context length & price per token => name, parameters, context_length, price_per_token | model | many
`,
  media: `
films with title, year, director, cast and running time in minutes => title, year, director, cast, running_time | film | many
songs: position, title, artist, weeks on chart => position, title, artist, weeks | song | many
podcast episodes - title, date, duration, mp3 link => title, date, duration, mp3_link | podcast episode | many
books with title, author, publisher, ISBN and cover image => title, author, publisher, isbn, cover_image | book | many
photos with caption, photographer and full size image => caption, photographer, full_size_image | photo | many
TV guide: channel, programme, start time, end time => channel, programme, start_time, end_time | tv guide | open
inspirational quotes and who said them => quote, who_said | inspirational quote | many
albums: artist, title, release year and label => artist, title, release_year, label | album | many
video title, views, upload date, channel name => video_title, views, upload_date, channel_name | | open
`,
  vague: `
all products => | product | many
Get all the teas => | tea | many
the jobs please => | job | many
everything about this company => | company | one
What tents do they sell? => | tent | many
list the news => | news | many
recipes => | recipe | many
Give me the data on this page => | | open
scrape the site => | | open
`,
  one: `
the name, price and availability of this product => name, price, availability | product | one
When was the bridge opened, who designed it and how long is it? => opened, who_designed, length | bridge | one
How tall is the tower and when was it built? => height, built | tower | one
population, area and mayor of the city => population, area, mayor | city | one
Get this book's title, author, ISBN, publisher and page count => title, author, isbn, publisher, page_count | book | one
What's the phone number and address of the clinic? => phone_number, address | clinic | one
`,
  searches: `
search for books by keyword and return title, author and price => title, author, price | | open
Search the shop for a product and list name, price and link of the results => name, price, link | | many
find jobs by keyword: title, company, location => title, company, location | job | many
I want to search flights and get airline, time and price => airline, time, price | | open
look up a word and give me its definition => definition | word | one
`,
  German: `
Alle Wohnungen mit Adresse, Kaltmiete, Zimmerzahl und Wohnfläche in m² => adresse, kaltmiete, zimmerzahl, wohnflache | wohnungen | many
Ich brauche Name und Preis von allen Stühlen => name, preis | stuhlen | many
Bitte liste alle Rezepte auf: Titel, Zubereitungszeit, Portionen und die Zutaten => titel, zubereitungszeit, portionen, zutaten | rezepte | many
Veranstaltungen: Titel, Datum, Beginn, Ort, Eintritt => titel, datum, beginn, ort, eintritt | veranstaltungen | open
Vor- und Nachname, Telefon und E-Mail aller Mitarbeiter => vorname, nachname, telefon, email | mitarbeiter | many
Wie viel kostet jedes Fahrrad? => preis | fahrrad | many
Abfahrten mit Uhrzeit, Ziel und von welchem Gleis => uhrzeit, ziel, gleis | abfahrten | open
Stellenangebote (Titel, Firma, Ort, Link) ohne Anzeigen => titel, firma, ort, link | stellenangebote | open
Alle Artikel mit Titel, Link und wann sie erschienen sind, sortiert nach Datum => titel, link, erschienen | artikel | many
Preis, Gewicht und Maße dieses Tisches => preis, gewicht, masse | tisch | one
Gib mir eine Tabelle mit Name, Verein und Punkte aller Spieler => name, verein, punkte | spieler | many
Jeweils Name, Straße, PLZ, Ort und Öffnungszeiten aller Filialen als JSON => name, strasse, plz, ort, offnungszeiten | filialen | many
Anzahl der Kommentare, Autor und Datum von jedem Beitrag => anzahl_kommentare, autor, datum | beitrag | many
`,
  French: `
toutes les annonces avec titre, prix, ville et date de publication => titre, prix, ville, date_de_publication | annonce | many
Je voudrais le nom, le prix et la note de chaque restaurant => nom, prix, note | restaurant | many
recettes : nom, temps de préparation, temps de cuisson, ingrédients => nom, temps_de_preparation, temps_de_cuisson, ingredients | recette | many
expositions avec titre, date de début et date de fin, lieu, sans les conférences => titre, date_de_debut, date_de_fin, lieu | exposition | many
prévisions : jour, température minimale et maximale, probabilité de pluie (%) => jour, temperature_minimale, temperature_maximale, probabilite_de_pluie | prevision | many
liste des offres d'emploi : intitulé, entreprise, lieu, salaire => intitule, entreprise, lieu, salaire | offre emploi | many
combien coûte chaque billet ? => prix | billet | many
donne-moi les titres et les liens des articles => titres, liens | article | many
le prix, la marque et le poids de ce produit au format JSON => prix, marque, poids | produit | one
films triés par date : titre, réalisateur, durée => titre, realisateur, duree | film | many
`,
  Spanish: `
lista de pisos con dirección, precio, habitaciones y superficie en m² => direccion, precio, habitaciones, superficie | piso | many
todos los libros: título, autor, precio => titulo, autor, precio | libro | many
el nombre, el precio y la foto de cada producto => nombre, precio, foto | producto | many
pronóstico por día: temperatura máxima y mínima, probabilidad de lluvia y viento en km/h => temperatura_maxima, temperatura_minima, probabilidad_de_lluvia, viento | pronostico dia | open
ofertas de empleo con puesto, empresa, ciudad, salario y fecha de publicación => puesto, empresa, ciudad, salario, fecha_de_publicacion | oferta empleo | many
noticias con titular, enlace y fecha, sin publicidad => titular, enlace, fecha | noticia | many
¿Cuánto cuesta cada entrada? => precio | entrada | many
quiero comparar hoteles por precio, estrellas y distancia al centro => precio, estrellas, distancia_al_centro | hotele | many
partidos: fecha, equipo local y visitante, resultado => fecha, equipo_local, equipo_visitante, resultado | partido | many
`,
  Italian: `
tutti i vini con nome, annata, produttore e prezzo => nome, annata, produttore, prezzo | vini | many
Farmacie di turno: nome, indirizzo, comune e telefono => nome, indirizzo, comune, telefono | farmacie turno | open
titolo, data e luogo di tutti gli eventi => titolo, data, luogo | eventi | many
elenco degli appartamenti: indirizzo, prezzo al mese, numero di locali, superficie (mq) => indirizzo, prezzo_al_mese, numero_di_locali, superficie | appartamenti | many
previsioni con temperatura minima e massima, vento e probabilità di pioggia => temperatura_minima, temperatura_massima, vento, probabilita_di_pioggia | previsioni | open
ricette con nome, tempo di preparazione, porzioni e lista degli ingredienti => nome, tempo_di_preparazione, porzioni, ingredienti | ricette | open
`,
  Dutch: `
alle huizen met adres, vraagprijs, woonoppervlakte in m2 en aantal kamers => adres, vraagprijs, woonoppervlakte, aantal_kamers | huizen | many
Geef mij titel, datum en link van elke nieuwsbericht => titel, datum, link | nieuwsbericht | many
Ranglijst: positie, naam, vereniging en punten van elke atleet => positie, naam, vereniging, punten | atleet ranglijst | many
vertrektijden met tijd, bestemming en spoor, zonder bussen => tijd, bestemming, spoor | vertrektijden | open
vacatures: functie, bedrijf, plaats, salaris per maand => functie, bedrijf, plaats, salaris_per_maand | vacature | many
`,
  Portuguese: `
Quero todas as notícias com título, autor, data e resumo => titulo, autor, data, resumo | noticia | many
Cotações do dia: moeda, código, valor de compra, valor de venda e variação percentual => moeda, codigo, valor_de_compra, valor_de_venda, variacao_percentual | cotacoe dia | many
nome, preço e foto de cada produto => nome, preco, foto | produto | many
previsão: dia, temperatura máxima e mínima, chuva (%) => dia, temperatura_maxima, temperatura_minima, chuva | previsao | open
imóveis com endereço, preço, número de quartos e área em m² => endereco, preco, numero_de_quartos, area | imoveis | open
`,
  further: `
Can you grab the title, the author's name and the publication year from each book on the bestseller page? => title, author_name, publication_year | bestseller book | many
I'd like to keep track of petrol prices: station, brand, address, price for diesel and price for E10 => station, brand, address, price_for_diesel, price_for_e10 | petrol price | many
Return a JSON list with fields: job_title, company, city, salary_range => job_title, company, city, salary_range | | many
All episodes: number, title, release date (e.g. 2024-05-01), length in minutes, download link. => number, title, release_date, length, download_link | episode | many
Name + address + phone of every dentist in Leeds => name, address, phone | leed dentist | many
what are the prices and opening hours of the museum? => price, opening_hours | museum | one
Collect data about every whisky: name; distillery; age (years); ABV (%); price (£) => name, distillery, age, abv, price | whisky | many
get every ferry sailing with its departure port, arrival port, departure time, and price for a car => departure_port, arrival_port, departure_time, price_for_car | ferry sailing | many
Extract the name and the description of each course, but not the price. => name, description | course | many
Latest 10 posts: title, url => title, url | post | many
top 20 movies with rank, title and gross => rank, title, gross | movie | many
Find the cheapest laptop with its name and price => name, price | laptop | one
which trains are delayed? give me train number, destination and delay in minutes => train_number, destination, delay | train | many
Give me all the reviews of this product (reviewer, rating 1-5, title, text, date, verified purchase) => reviewer, rating, title, text, date, verified_purchase | product review | many
The table of planets: name, radius (km), mass (10^24 kg), orbital period (days) => name, radius, mass, orbital_period | planet | many
Give me a list with all museums. I need the name, the address, the admission fee and when it opens. => name, address, admission_fee, opens | museum | many
For every car listing on this page I would like to have: the title, the price in CHF, the mileage, the year of first registration and whether it has been in an accident => title, price, mileage, year_of_first_registration, accident | car | many
show upcoming auctions (date, location, number of lots) => date, location, number_of_lots | auction | many
list of all countries with capital, population and area => capital, population, area | country | many
country, capital, population => country, capital, population | | open
title;author;year => title, author, year | | open
Please extract: 1) product name 2) price 3) stock status => product_name, price, stock_status | | open
Please return only name and price for each product. Do not include images or descriptions. => name, price | product | many
names and email addresses of all staff members, excluding administrators => name, email_address | staff member | many
house price, number of beds, agent and its phone number => house_price, number_of_beds, agent, phone_number | | open
all the flats that cost less than 1000 euros, with rent, size and address => rent, size, address | flat | many
I need to know for each restaurant what cuisine it is, how expensive it is and what rating it has => cuisine, price, rating | restaurant | many
all volcano eruptions since 2000 with volcano name, date and VEI => volcano_name, date, vei | volcano eruption | many
each train's departure time, platform and destination => departure_time, platform, destination | train | many
open source licences: SPDX id, full name, OSI approved (yes/no), link => spdx_id, full_name, osi_approved, link | open source licence | many
list of models, with model name, price/night, max guests and number of bedrooms => model_name, price_per_night, max_guests, number_of_bedrooms | model | many
job listings - title / company / location / posted date => title, company, location, posted_date | job | many
bus times (line, destination, minutes until departure) => line, destination, minutes_until_departure | bus time | many
Extract structured data from this recipe: ingredients, instructions, total time, yield. => ingredients, instructions, total_time, yield | recipe | one
retrieve course code, course title, credits & lecturer for every course in the catalogue => course_code, course_title, credits, lecturer | catalogue course | many
question title, asker, vote count, answer count, tags, time asked => question_title, asker, vote_count, answer_count, tags, time_asked | | open
give me the top-rated hotels including name, rating, number of reviews, and price (lowest per night) => name, rating, number_of_reviews, price | top rated hotel | many
the names of all members and their party => name, party | member | many
winners by year: year, winner, country => year, winner, country | winner year | many
all patents: number, title, inventors, filing date, grant date => number, title, inventors, filing_date, grant_date | patent | many
Wanted: all yachts for sale. Details: name, builder, length (m), year built, asking price, location of the yacht => name, builder, length, year_built, asking_price, location | yacht sale | many
number of employees and revenue of each company => number_of_employees, revenue | company | many
a CSV with date, open, high, low, close and volume => date, open, high, low, close, volume | | open
date, open, high, low, close, volume => date, open, high, low, close, volume | | open
Title | Author | Price => title, author, price | | open
List games with title, release date and supported platforms (PC, PS5, Xbox) => title, release_date, supported_platforms | game | many
{title, url, points, comments} of the stories on the front page => title, url, points, comments | story | many
{"items": [{"name": string, "price": number, "url": string}]} => name, price, url | | open
interface Job { title: string; company: string; location?: string; salary?: number } => title, company, location, salary | job | open
- name¶- price¶- url => name, price, url | | open
Fields:¶name¶price¶rating => name, price, rating | | open
I need the following data points for each listing:¶- Listing title¶- Monthly rent (in EUR)¶- Number of rooms¶- Living space (sqm)¶- Available from¶Please ignore sponsored listings. => title, monthly_rent, number_of_rooms, living_space, available_from | | many
Scrape https://example.com/products and give me all products (name, price). => name, price | product | many
Build an API that returns the current weather: temperature, condition, humidity => temperature, condition, humidity | weather | open
create an action that lists all open tenders with title, buyer, deadline => title, buyer, deadline | open tender | many
an API for the menu of the day: dish, price => dish, price | day menu | open
I want an overview of all universities – name, city, number of students, founded => name, city, number_of_students, founded | university | many
Which drugs are recalled and why? name, manufacturer, reason, recall date => name, manufacturer, reason, recall_date | drug reason | many
current standings: rank, driver, team, points => rank, driver, team, points | standing | many
I am a researcher. I need all publications of this group: authors, title, journal, year and DOI. => authors, title, journal, year, doi | group researcher publication | many
what's the current bitcoin price and 24 hour volume? => bitcoin_price, _24_hour_volume | | open
top 50 songs: rank, artist - title => rank, artist, title | song | many
List of hotels in Rome, each with its name, nightly rate & guest rating => name, nightly_rate, guest_rating | rome hotel | many
Extract every row of the table "Fuel prices" (station, diesel, unleaded) => station, diesel, unleaded | fuel price | many
For all the listed properties: (a) address, (b) price, (c) number of bedrooms => address, price, number_of_bedrooms | | many
all recipes that take less than 30 minutes, with title, time and link => title, time, link | recipe | many
Return {"title", "author", "date"} for each article => title, author, date | article | many
job offers (title, company) published this week => title, company | week job offer published | many
movie titles & their release dates => title, release_date | movie | many
names and prices => name, price | | many
Title, price. => title, price | | open
Please list: title; price; rating. => title, price, rating | | open
pull all the reviews, i need rating, author, date and text pls => rating, author, date, text | review | many
can u get me prices + names of all graphics cards thx => price, name | graphic card | many
get product info => | product | open
all open source projects by stars: name, stars, language => name, stars, language | star open source project | many
phone number => phone_number | | open
contact details of each branch: phone, fax, email => phone, fax, email | branch contact | many
the average price, minimum price and maximum price of every product => average_price, minimum_price, maximum_price | product | many
candidates with number of votes and percentage of votes => number_of_votes, percentage_of_votes | candidate | many
election results: constituency, winner, party, majority, turnout (%) => constituency, winner, party, majority, turnout | election | many
first name, last name, email => first_name, last_name, email | | open
each city's population, area and elevation => population, area, elevation | city | many
book title and author for all the books in the fantasy category => book_title, author | fantasy category book | many
crypto prices table: coin, price, 1h %, 24h %, 7d %, market cap => coin, price, _1h, _24h, _7d, market_cap | crypto price | many
every house sold in 2024: address, sold price, sold date => address, sold_price, sold_date | house sold | many
courses starting in September with title, start date, tutor, and fees (members / non-members) => title, start_date, tutor, fees | course starting september | many
track the number of stars of this repository => number_of_stars | repository | one
air quality: station, PM2.5, PM10, NO2, time of measurement => station, pm25, pm10, no2, time_of_measurement | air quality | open
vessels: name, IMO number, flag, type, ETA => name, imo_number, flag, type, eta | vessel | many
patient leaflets: drug name, manufacturer, PDF url => drug_name, manufacturer, pdf_url | patient leaflet | many
Warnings: region, level, valid from, valid until => region, level, valid_from, valid_until | warning | many
all lots with lot no., title, estimate (low - high) and current bid => lot_no, title, estimate, current_bid | lot | many
latest CVEs with id, severity, score, published date and affected product => id, severity, score, published_date, affected_product | cve | many
rooms with size, max occupancy, price per night incl. breakfast => size, max_occupancy, price_per_night, breakfast | room | many
what does the course cost and how long does it last? => cost, duration | course | one
Show all notices with title, date of publication and a link to the document => title, date_of_publication, link_to_document | notice | many
exam dates: subject, date, time, room => subject, date, time, room | exam date | many
trips with departure date, return date, price p.p. and number of free seats => departure_date, return_date, price_pp, number_of_free_seats | trip | many
the 5 day forecast for Berlin: day, min, max, description => day, min, max, description | day forecast berlin | many
chart of most downloaded apps: position, app name, developer, downloads => position, app_name, developer, downloads | downloaded app chart | many
list each wine's name, region, grape and price by the glass and by the bottle => name, region, grape, price_by_glass, price_by_bottle | wine | many
the title, the subtitle and the body of the post, plus the date => title, subtitle, body, date | post | one
Get me name/role/photo for everyone on the team page => name, role, photo | team | many
each book (title, author, price, cover) => title, author, price, cover | book | many
title (h1), price, description (short) => title, price, description | | open
`,
  languages: `
Ich hätte gerne eine Liste aller Konzerte mit Künstler, Datum, Uhrzeit, Ort und Ticketpreis => kunstler, datum, uhrzeit, ort, ticketpreis | konzerte | many
Zeig mir für jeden Zug die Abfahrtszeit, das Ziel, das Gleis und die Verspätung in Minuten => abfahrtszeit, ziel, gleis, verspatung | zug | many
Welche Filme laufen heute? Titel, Saal, Uhrzeit => titel, saal, uhrzeit | filme | open
Produktname, Preis in Euro, Verfügbarkeit und Bewertung (Sterne) => produktname, preis, verfugbarkeit, bewertung | | open
Gib mir Name, Adresse und Telefonnummer der Arztpraxen, aber ohne Zahnärzte => name, adresse, telefonnummer | arztpraxen | open
Ich möchte Gebrauchtwagen vergleichen nach Preis, Kilometerstand und Baujahr => preis, kilometerstand, baujahr | gebrauchtwagen | open
Alle Termine: Datum, Beginn, Titel, Ort (falls vorhanden) => datum, beginn, titel, ort* | termine | many
Die Bücher auf der ersten Seite mit Titel, Autor, Preis und ob sie lieferbar sind => titel, autor, preis, lieferbar | bucher | open
Liste der Museen mit Öffnungszeiten, Eintrittspreis und Adresse => offnungszeiten, eintrittspreis, adresse | museen | many
Je veux la liste des médicaments avec leur nom, leur prix, leur laboratoire => nom, prix, laboratoire | medicament | many
Pour chaque produit : nom, prix, disponibilité, lien vers la fiche => nom, prix, disponibilite, lien_vers_fiche | produit | many
les horaires des trains : heure de départ, heure d'arrivée, destination, voie => heure_de_depart, heure_d_arrivee, destination, voie | train horaire | many
Donnez-moi le titre, l'auteur et la date de chaque article de la page d'accueil => titre, auteur, date | article accueil | many
appartements à louer : loyer charges comprises, surface, nombre de pièces, quartier => loyer_charges_comprises, surface, nombre_de_pieces, quartier | appartement louer | many
Quels sont les films à l'affiche ? titre, durée, genre => titre, duree, genre | film | many
Dame el título, el enlace y la fecha de cada noticia de la portada => titulo, enlace, fecha | portada noticia | many
ofertas: nombre del producto, precio anterior, precio actual y descuento => nombre_del_producto, precio_anterior, precio_actual, descuento | oferta | many
Necesito los vuelos con aerolínea, hora de salida y llegada, y precio => aerolinea, hora_de_salida, hora_de_llegada, precio | vuelo | many
¿Qué eventos hay? nombre, fecha, lugar y precio de la entrada => nombre, fecha, lugar, precio | entrada evento | many
lista de jugadores con número, nombre, posición y edad => numero, nombre, posicion, edad | jugadore | many
Vorrei i prodotti con nome, marca, prezzo e disponibilità, ordinati per prezzo => nome, marca, prezzo, disponibilita | prodotti | open
Dammi titolo, autore e data di pubblicazione di ogni articolo => titolo, autore, data_di_pubblicazione | articolo | many
per ogni treno: orario di partenza, destinazione, binario e ritardo => orario_di_partenza, destinazione, binario, ritardo | treno | many
Ik wil van elke auto het merk, model, bouwjaar, de kilometerstand en de prijs => merk, model, bouwjaar, kilometerstand, prijs | auto | many
lijst van evenementen met naam, datum, locatie en prijs => naam, datum, locatie, prijs | evenementen | many
Preciso do título, preço e localização de cada anúncio => titulo, preco, localizacao | anuncio | many
lista de jogos: data, equipa da casa, equipa visitante e resultado => data, equipa_da_casa, equipa_visitante, resultado | jogo | many
vagas com cargo, empresa, cidade e salário => cargo, empresa, cidade, salario | vaga | many
Stadt, Land, Einwohner => stadt, land, einwohner | | open
Mitarbeiter: Name, Funktion, E-Mail, Durchwahl => name, funktion, email, durchwahl | mitarbeiter | open
Alle Angebote mit altem und neuem Preis und dem Rabatt in Prozent => altem_preis, neuem_preis, rabatt | angebote | many
Produkte ohne Versandkosten: Name und Preis => name, preis | produkte | open
Bundesliga-Tabelle: Platz, Verein, Spiele, Tore, Punkte => platz, verein, spiele, tore, punkte | bundesliga tabelle | open
Wohnungen in Hamburg: Titel, Warmmiete, Zimmer, Größe (m²), Bezirk => titel, warmmiete, zimmer, grosse, bezirk | wohnungen hamburg | open
Liste der Bücher mit Titel und dem Namen des Autors => titel, namen_des_autors | bucher | many
Titel und Link zu jedem Blogbeitrag => titel, link | blogbeitrag | many
la météo de la semaine : jour, température min et max, vent => jour, temperature_min, temperature_max, vent | semaine meteo | open
les offres avec l'ancien et le nouveau prix => ancien_prix, nouveau_prix | offre | many
liste des élus avec nom, parti et circonscription => nom, parti, circonscription | elus | many
articles du blog (titre, auteur, date) sauf les publicités => titre, auteur, date | article blog | many
prix et disponibilité de tous les vélos => prix, disponibilite | velo | many
coches de segunda mano: marca, modelo, año, kilómetros y precio => marca, modelo, ano, kilometros, precio | coch segunda mano | many
clasificación de la liga: posición, equipo, puntos, partidos jugados => posicion, equipo, puntos, partidos_jugados | liga clasificacion | open
los horarios de los autobuses: línea, destino, hora de salida => linea, destino, hora_de_salida | autobuse horario | many
case in vendita: indirizzo, prezzo, metri quadri, numero di camere => indirizzo, prezzo, metri_quadri, numero_di_camere | case vendita | open
classifica: posizione, squadra, punti, gol fatti e subiti => posizione, squadra, punti, gol_fatti, gol_subiti | classifica | open
annunci di lavoro con titolo, azienda, sede e data => titolo, azienda, sede, data | annunci lavoro | open
huurwoningen met adres, huurprijs, aantal kamers en oppervlakte => adres, huurprijs, aantal_kamers, oppervlakte | huurwoningen | open
carros usados com marca, modelo, ano, quilometragem e preço => marca, modelo, ano, quilometragem, preco | carro usado | many
previsão do tempo: data, máxima, mínima, chance de chuva => data, maxima, minima, chance_de_chuva | previsao tempo | open
Tabela ligowa: pozycja, drużyna, rozegrane mecze, punkty i bramki => pozycja, druzyna, rozegrane_mecze, punkty, bramki | tabela ligowa | open
Alla avgångar med avgångstid, ankomsttid, fartyg och trafikdagar => avgangstid, ankomsttid, fartyg, trafikdagar | avgangar | many
alle boliger med adresse, pris og antal værelser => adresse, pris, antal_vaerelser | boliger | many
alla bilar med modell, pris, årsmodell och miltal => modell, pris, arsmodell, miltal | bilar | many
Wettervorhersage mit Höchst- und Tiefsttemperatur, Niederschlag und Wind in km/h => hochsttemperatur, tiefsttemperatur, niederschlag, wind | wettervorhersage | open
`,
};
