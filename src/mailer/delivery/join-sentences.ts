/** Sentences in a row, what is missing left out; one that closes with a server's words is ended where it is not. */
export function joinSentences(sentences: readonly (string | null | undefined)[]): string {
  return sentences.flatMap((sentence) => (sentence ? [ended(sentence)] : [])).join(' ')
}

function ended(sentence: string): string {
  return /[.!?…]["')\]]?$/.test(sentence) ? sentence : `${sentence}.`
}
