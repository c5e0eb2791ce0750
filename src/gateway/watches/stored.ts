/** What watches keep as JSON. */
import * as z from 'zod';

const Names = z.array(z.string());

/** Throws where the text is not what was written. */
export const parseNames = (text: string): readonly string[] => Names.parse(JSON.parse(text));
