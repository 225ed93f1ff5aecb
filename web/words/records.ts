import { counted } from './format.ts'

/** The words that each kind of records has. `oneOf` is one of them with its article: `a limit`. */
export function recordWords(oneOf: string) {
  const noun = oneOf.replace(/^an? /, '')
  const title = noun.charAt(0).toUpperCase() + noun.slice(1)
  return {
    add: `Add ${oneOf}`,
    new: `New ${noun}`,
    noMatch: `No ${noun} matches.`,
    saved: (name: string) => `${title} "${name}" is saved.`,
    deleteTitle: (name: string) => `Delete ${noun} "${name}"?`,
    deleteMany: (count: number) =>
      count === 1 ? `Delete this ${noun}?` : `Delete ${counted(count, noun)}?`,
  }
}

/** What many records and messages have, as forms and lists call it. */
export const labels = {
  name: 'Name',
  description: 'Description',
  state: 'State',
  isPublished: 'Published',
  transport: 'Transport',
  mautic: 'Mautic',
  recipient: 'Recipient',
  sender: 'Sender',
  subject: 'Subject',
  size: 'Size',
  messageId: 'Message-ID',
  actions: 'Actions',
} as const
