import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The part of the package that is used; it has no types that a compiler finds. */
interface Confusables {
  rectifyConfusion: (text: string) => string
}

/** Characters that show nothing, or change how others are shown: they make two names look like one. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u2800\u115f\u1160]/u

/** Returns the first invisible character of a name, as `U+200B`; undefined where there is none. */
export function findInvisible(name: string): string | undefined {
  const found = invisible.exec(name)?.[0].codePointAt(0)
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * Returns what a user name looks like, letter case aside: two names with the same skeleton cannot be told apart
 * by eye.
 *
 * @see UTS 39, section 4, "Confusable Detection"
 */
export function nameSkeleton(name: string): string {
  // Loaded with the first user that is saved.
  const { rectifyConfusion } = require('unicode-confusables') as Confusables
  const visible = name.normalize('NFKC').replace(new RegExp(invisible, 'gu'), '').trim()
  const plain = visible.normalize('NFD').replaceAll(/\s+/gu, ' ')
  return rectifyConfusion(plain).normalize('NFD').toLowerCase()
}
