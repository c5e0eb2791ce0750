/** The stock of the practice bookshop. Old titles and their authors; prices, ratings and stock are invented. */

export interface Book {
  readonly slug: string;
  readonly title: string;
  readonly author: string;
  readonly category: string;
  readonly year: number;
  /** Pounds. */
  readonly price: number;
  /** 1 to 5. */
  readonly rating: number;
  readonly copies: number;
  /** The day it came into the shop. */
  readonly added: Date;
}

const titles: Readonly<Record<string, readonly (readonly [title: string, author: string, year: number])[]>> =
  {
    Adventure: [
      ['Treasure Island', 'Robert Louis Stevenson', 1883],
      ['Around the World in Eighty Days', 'Jules Verne', 1872],
      ['The Count of Monte Cristo', 'Alexandre Dumas', 1846],
      ['Robinson Crusoe', 'Daniel Defoe', 1719],
      ['The Call of the Wild', 'Jack London', 1903],
      ['Kim', 'Rudyard Kipling', 1901],
      ["King Solomon's Mines", 'H. Rider Haggard', 1885],
      ['The Sea-Wolf', 'Jack London', 1904],
      ['Kidnapped', 'Robert Louis Stevenson', 1886],
    ],
    Mystery: [
      ['The Hound of the Baskervilles', 'Arthur Conan Doyle', 1902],
      ['The Moonstone', 'Wilkie Collins', 1868],
      ['The Woman in White', 'Wilkie Collins', 1860],
      ['The Innocence of Father Brown', 'G. K. Chesterton', 1911],
      ['The Thirty-Nine Steps', 'John Buchan', 1915],
      ['The Mystery of the Yellow Room', 'Gaston Leroux', 1907],
      ['Bleak House', 'Charles Dickens', 1853],
      ['The Man Who Was Thursday', 'G. K. Chesterton', 1908],
    ],
    Novel: [
      ['Pride and Prejudice', 'Jane Austen', 1813],
      ['Persuasion', 'Jane Austen', 1817],
      ['Jane Eyre', 'Charlotte Brontë', 1847],
      ['Wuthering Heights', 'Emily Brontë', 1847],
      ['Middlemarch', 'George Eliot', 1871],
      ['Great Expectations', 'Charles Dickens', 1861],
      ['Madame Bovary', 'Gustave Flaubert', 1856],
      ['Anna Karenina', 'Leo Tolstoy', 1878],
      ['The Portrait of a Lady', 'Henry James', 1881],
      ['A Room with a View', 'E. M. Forster', 1908],
      ['Moby-Dick', 'Herman Melville', 1851],
      ['Effi Briest', 'Theodor Fontane', 1895],
    ],
    'Science fiction': [
      ['The Time Machine', 'H. G. Wells', 1895],
      ['The War of the Worlds', 'H. G. Wells', 1898],
      ['Twenty Thousand Leagues Under the Seas', 'Jules Verne', 1870],
      ['Frankenstein', 'Mary Shelley', 1818],
      ['The Lost World', 'Arthur Conan Doyle', 1912],
      ['The Machine Stops', 'E. M. Forster', 1909],
      ['Flatland', 'Edwin A. Abbott', 1884],
    ],
    Travel: [
      ['The Innocents Abroad', 'Mark Twain', 1869],
      ['A Sentimental Journey', 'Laurence Sterne', 1768],
      ['Travels with a Donkey', 'Robert Louis Stevenson', 1879],
      ['Three Men in a Boat', 'Jerome K. Jerome', 1889],
      ['The Voyage of the Beagle', 'Charles Darwin', 1839],
      ['Italian Journey', 'Johann Wolfgang von Goethe', 1817],
      ['Roughing It', 'Mark Twain', 1872],
    ],
  };

export const categories = Object.keys(titles);

const toSlug = (title: string) =>
  title
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-');

export const books: readonly Book[] = categories
  .flatMap((category) => (titles[category] ?? []).map((title) => ({ category, title })))
  .map(({ category, title: [title, author, year] }, index) => ({
    slug: toSlug(title),
    title,
    author,
    category,
    year,
    // Fixed numbers that look like a shop's: they repeat from start to start.
    price: 5 + ((index * 37) % 29) + (index % 3 === 0 ? 0.99 : 0.5),
    rating: 1 + ((index * 7 + 3) % 5),
    copies: (index * 11) % 13,
    added: new Date(Date.UTC(2026, 9, 30 - (index % 28), 9, index)),
  }));
