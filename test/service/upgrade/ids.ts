/** What `write-folder.ts` printed: the actions and jobs of the folder that it wrote. */
export const actions = {
  private: 'books-example_books',
  other: 'books-example_shops',
  public: 'news-example_news',
  alices: 'books-example-bdde1e_books_8420e8',
  bobs: 'books-example-61b65a_films_d41d55',
  deleted: 'old-example_things',
  inFile: 'shop_lamps',
  waiting: 'films-example_actors_1355be',
};
export const jobs = {
  ended: 'edd32635-270a-4f31-a186-9808ffef9191',
  ofEarlierBuild: '5c2982ea-8132-4ad0-9d59-9e76d29197e2',
  ofEarlierFile: 'ffd46943-d7e0-4275-b1e9-4d1914d88da7',
  ofDeleted: '17b564a7-05eb-452c-ada5-57f14e430577',
  ofPractice: '23e8ccb7-8c7e-48c1-b9b6-8159b59953d1',
  ofShipped: 'a1ac8057-2a25-4689-94b2-b2ed7a4d995b',
  ofCurrentFile: 'b2bbfc52-37a0-40d5-8f77-edda0060e1cb',
};
