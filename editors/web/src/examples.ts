// The samples of the menu: files of the repository, which the build puts in.

export interface Example { title: string; name: string; text: string }

declare const EXAMPLES: Example[];
export const examples: Example[] = EXAMPLES;
