import { formatNumber } from './format.ts'

export const dsnWords = {
  provider: 'Provider',
  chooseProvider: 'Choose a provider, or paste a DSN below',
  kinds: { general: 'General', list: 'Several transports', provider: 'Providers' },
  variant: 'Sends by',
  /** Without what a title has in parentheses: `Google (Gmail, Workspace)`. */
  credentials: (title: string) => `Where ${title.replace(/ \(.*\)$/, '')} shows these values`,
  choose: 'Choose',
  standard: (value: string | null) => (value === null ? 'Default' : `Default: ${value}`),
  byDefault: (value: string) => `Default: ${value}.`,
  example: (value: string) => `For example ${value}`,
  more: (changed: number) =>
    changed === 0 ? 'More settings' : `More settings (${formatNumber(changed)} set)`,
  otherOption: (name: string) => `Option ${name}`,
  otherOptionHelp: 'This option of the DSN has no field. Empty it to remove it.',
  text: 'DSN',
  textHelp: 'The same as the fields above: change either.',
  textExample: 'smtp://user:password@smtp.example.com:587',
  hidden: 'Secrets are hidden. Show the DSN to change it here.',
  connects: (server: string) => `Connects to ${server}.`,
  tls: {
    implicit: 'TLS from the start.',
    starttls: 'TLS by STARTTLS is required.',
    opportunistic: 'TLS by STARTTLS where it is offered.',
    none: 'No TLS.',
  },
  members: 'Members',
  noProvider: 'No provider',
  place: (place: number) => `${formatNumber(place)}.`,
  parts: {
    up: { action: 'Up', of: (place: number) => `Move member ${formatNumber(place)} up` },
    down: { action: 'Down', of: (place: number) => `Move member ${formatNumber(place)} down` },
    remove: { action: 'Remove', of: (place: number) => `Remove member ${formatNumber(place)}` },
  },
  moved: (title: string, place: number, all: number) =>
    `${title} is now ${formatNumber(place)} of ${formatNumber(all)}.`,
  removed: (place: number) => `Member ${formatNumber(place)} is removed.`,
  addMember: 'Add a member',
  membersHelp: (provider: string, max: number) =>
    `${provider === 'failover' ? 'The first that works is used.' : 'They are used in turn.'} Alt and the arrow keys move a member. At most ${formatNumber(max)}.`,
} as const
