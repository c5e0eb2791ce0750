/** What the properties of schema.org are called by people: JSON-LD and microdata, and many sites' own JSON as well. */
import { wordsOf } from './words.ts';

/** The telling words first. */
const called: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    validThrough: 'closing date deadline expiry valid until',
    applicationDeadline: 'closing date deadline',
    priceValidUntil: 'valid until date',
    datePosted: 'date posted',
    hiringOrganization: 'company employer hiring organization',
    addressLocality: 'city location town',
    addressRegion: 'region state county',
    addressCountry: 'country',
    postalCode: 'postcode zip postal code',
    streetAddress: 'street address',
    baseSalary: 'salary pay',
    estimatedSalary: 'salary pay',
    employmentType: 'employment type contract',
    recipeYield: 'serving yield portion',
    recipeIngredient: 'ingredient',
    recipeInstructions: 'instruction method step',
    recipeCuisine: 'cuisine',
    recipeCategory: 'category course',
    prepTime: 'prep time preparation duration',
    cookTime: 'cook time cooking duration',
    totalTime: 'total time duration',
    performTime: 'time duration',
    ratingValue: 'rating value score average',
    reviewCount: 'review count number',
    ratingCount: 'rating count number vote',
    bestRating: 'best',
    worstRating: 'worst',
    availability: 'availability stock',
    itemCondition: 'condition',
    lowPrice: 'price low from',
    highPrice: 'high price',
    startDate: 'start date begin',
    endDate: 'end date',
    doorTime: 'door time',
    performer: 'performer artist',
    articleSection: 'section category',
    articleBody: 'text body article',
    keywords: 'keyword tag',
    datePublished: 'published date',
    dateModified: 'modified updated date',
    dateCreated: 'created date',
    upvoteCount: 'vote upvote count score',
    answerCount: 'answer count number reply',
    commentCount: 'comment count number reply',
    numberOfPages: 'page number',
    bookFormat: 'format',
    inLanguage: 'language',
    isbn: 'isbn',
    byArtist: 'artist',
    copyrightYear: 'year',
    numberOfRooms: 'room number',
    floorSize: 'size area floor',
    vehicleModelDate: 'year model date',
    mileageFromOdometer: 'mileage odometer',
    fuelType: 'fuel type',
    vehicleTransmission: 'transmission gearbox',
    telephone: 'phone telephone',
    openingHours: 'opening hour',
  }).map(([property, words]) => [property, words.split(' ')]),
);

/** The words for a property or a key, the most telling first; of a thing's type, such as `recipe`, nothing is told. */
export function namesOf(property: string, type: readonly string[] = []): string[] {
  const standard = called.get(property);
  if (standard !== undefined) return [...standard];
  const words = wordsOf(property);
  const telling = words.filter((word) => !type.includes(word));
  return telling.length > 0 ? telling : words;
}
