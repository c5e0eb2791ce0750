/** The package's own types describe an ES module, which it is not; under `nodenext` its default import has no call. */
declare module 'robots-parser' {
  interface Robots {
    isAllowed(url: string, userAgent?: string): boolean | undefined;
    getCrawlDelay(userAgent?: string): number | undefined;
  }
  function robotsParser(url: string, text: string): Robots;
  export = robotsParser;
}
