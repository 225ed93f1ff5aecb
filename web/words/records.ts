import { counted } from './format.ts'

/** The words that each kind of records has. `oneOf` is one of them with its article: `a limit`. */
export function recordWords(oneOf: string) {
  const noun = oneOf.replace(/^an? /, '')
  const title = capitalize(noun)
  return {
    title: `${title}s`,
    add: `Add ${oneOf}`,
    new: `New ${noun}`,
    search: 'Search by name or description',
    noMatch: `No ${noun} matches.`,
    saved: (name: string) => `${title} "${name}" is saved.`,
    deleteTitle: (name: string) => `Delete ${noun} "${name}"?`,
    deleteMany: (count: number) =>
      count === 1 ? `Delete this ${noun}?` : `Delete ${counted(count, noun)}?`,
  }
}

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The fields that say from where and until when someone may log in. */
export const loginRuleWords = {
  labels: { networks: 'Log-in only from', validUntil: 'Last day of the log-in' },
  help: {
    networks:
      'Addresses and networks, one on each line, such as 203.0.113.0/24. Empty: from everywhere.',
    validUntil: 'In UTC. Empty: no end.',
  },
} as const

/** What many records and messages have, as forms and lists call it. */
export const labels = {
  name: 'Name',
  description: 'Description',
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
