/** Below this path the sign-in pages are served. */
export const signInPath = '/sign-in';
