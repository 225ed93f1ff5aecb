import { counted, countedParts, formatList } from './format.ts'

/** What depends on a transport. */
interface Uses {
  emails: number
  users: number
  mautics: number
}

/** The words about log-ins that stop working. */
export const endingWords = {
  left(daysLeft: number | null): string {
    if (daysLeft === null) return 'Expires hourly'
    if (daysLeft === 0) return 'Ends today'
    return daysLeft < 0 ? 'Ended' : `${counted(daysLeft, 'day')} left`
  },
  depends({ emails, users, mautics }: Uses): string {
    const counts = countedParts({ email: emails, user: users, Mautic: mautics })
    const verb = emails + users + mautics === 1 ? 'depends' : 'depend'
    return counts.length === 0
      ? 'Nothing is assigned to it.'
      : `${formatList(counts)} ${verb} on it.`
  },
} as const

/** The words of the dialog that moves a transport to OAuth. */
export const moveWords = {
  action: 'Move to OAuth',
  unsaved: 'Save or discard your changes first.',
  title: (name: string) => `Move "${name}" to OAuth`,
  help: 'The name, assignments and limits stay. The new log-in is tested while the old one stays in use, and replaces it only if the test passes.',
  moved: (name: string) => `Transport "${name}" logs in with OAuth.`,
} as const
