// @ts-expect-error The package misnames its declaration file.
import confusables from 'unicode-confusables'

const { rectifyConfusion } = confusables as { rectifyConfusion: (text: string) => string }

/** Characters that are invisible, or change how others are shown: with them, different names look the same. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u2800\u115f\u1160]/u

/** Returns the first invisible character of a name, as `U+200B`; undefined for a name without any. */
export function findInvisible(name: string): string | undefined {
  const code = invisible.exec(name)?.[0].codePointAt(0)
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * Returns the skeleton of a user name. Names with the same skeleton look the same, apart from letter case.
 *
 * @see UTS 39, section 4, "Confusable Detection"
 */
export function nameSkeleton(name: string): string {
  const visible = name.normalize('NFKC').replace(new RegExp(invisible, 'gu'), '').trim()
  const plain = visible.normalize('NFD').replaceAll(/\s+/gu, ' ')
  return rectifyConfusion(plain).normalize('NFD').toLowerCase()
}
