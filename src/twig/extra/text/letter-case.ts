import type { Meter } from '../../values/meter.ts'

/** Each word is looked for and changed on its own: at worst, every other character is one. */
const stepsACharacter = 3
const bytesACharacter = 50

type LetterCase = 'title' | 'titles' | 'camel' | 'pascal' | 'snake' | 'kebab'

const capital = (word: string): string => {
  const [first = ''] = word
  return first.toUpperCase() + word.slice(first.length)
}

/** Words as Symfony parts them: at what is no letter or digit, and before capitals. */
function words(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** A text in another manner of writing several words. */
export function changeCase(text: string, letterCase: LetterCase, meter: Meter): string {
  if (letterCase === 'title') return capital(text)
  meter.spend(text.length * stepsACharacter)
  meter.allocate(text.length * bytesACharacter)
  switch (letterCase) {
    case 'titles':
      return text.replace(/\p{L}+/gu, capital)
    case 'snake':
      return words(text).join('_').toLowerCase()
    case 'kebab':
      return words(text).join('-').toLowerCase()
    case 'pascal':
      return words(text).map(humped).join('')
    case 'camel': {
      const [first = '', ...rest] = words(text)
      return first.toLowerCase() + rest.map(humped).join('')
    }
  }
}

function humped(word: string): string {
  return capital(word.toLowerCase())
}
