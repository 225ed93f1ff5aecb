import { formatNumber } from './format.ts'

const messages = (count: number) => (count === 1 ? '1 message' : `${formatNumber(count)} messages`)

/** The words of the screen of queued messages. */
export const queueWords = {
  title: 'Queue',
  intro: 'Messages that Mailyard has stored and not sent yet. Each recipient counts.',
  totals: 'By transport and lane',
  messages: 'Messages',
  size: (bytes: string, bytesMax: string) => `${bytes} of ${bytesMax}`,
  task: 'What to do when a provider is down',
  empty: 'The queue is empty: nothing waits to be sent.',
  noMatch: 'No queued message matches these filters.',
  searchOn: 'Nothing among the newest messages. Continue with “Older”.',
  filter: 'Filter',
  clear: 'Clear',
  noTransport: 'Not chosen yet',
  default: 'Default',
  transportNumber: (id: number | string) => `Transport ${id}`,
  attempts: (count: number) =>
    count === 1 ? 'after 1 attempt' : `after ${formatNumber(count)} attempts`,
  from: (sender: string) => `from ${sender}`,
  broadcast: (id: number | string) => `Broadcast ${id}`,
  labels: {
    transport: 'Transport',
    lane: 'Lane',
    state: 'State',
    oldest: 'Oldest',
    size: 'Size',
    recipient: 'Recipient',
    sender: 'Sender',
    added: 'Stored',
    nextAttempt: 'Next attempt',
    problem: 'Last answer',
  },
  lanes: { transactional: 'Transactional', bulk: 'Bulk' },
  states: {
    queued: 'Due',
    deferred: 'Deferred',
    sending: 'Being sent',
    paused: 'Paused',
    held: 'Held',
    uncertain: 'Uncertain',
  },
  transportStates: {
    available: 'Available',
    unavailable: 'Not available',
    held: 'Held',
    unpublished: 'Unpublished',
    deleted: 'Deleted',
  },
  all: 'All that match:',
  actions: {
    retry: { action: 'Retry now', done: 'Due now', effect: 'They are sent as soon as possible.' },
    hold: {
      action: 'Hold',
      done: 'Held',
      effect:
        'They wait until they are released. Messages that arrive later are sent: to hold these, too, filter by a transport and by nothing else.',
      effectOnTransport:
        'All messages of this transport in the queue wait until they are released, also those that arrive later. What is sent while its client waits (direct, hybrid) is not held.',
    },
    release: {
      action: 'Release',
      done: 'Released',
      effect:
        'They are due at once. Those of a transport that is held wait again: to release it, filter by the transport and by nothing else.',
      effectOnTransport:
        'All messages of this transport are due at once. Those that arrive later are not held any more.',
    },
    cancel: {
      action: 'Cancel messages',
      done: 'Cancelled',
      effect: 'They are deleted and never sent. Their senders are not notified.',
    },
  },
  confirm: (action: string, count: number) => `${action}: ${messages(count)}?`,
  confirmOnTransport: (action: string, count: number) =>
    `${action} the transport and ${messages(count)}?`,
  result: (done: string, changed: number, skipped: number) =>
    skipped === 0
      ? `${done}: ${formatNumber(changed)}.`
      : `${done}: ${formatNumber(changed)}. Not changed, because of their state: ${formatNumber(skipped)}.`,
} as const

/** The words of the brakes of bulk messages. */
export const brakeWords = {
  title: 'Brakes',
  held: (domain: string, mautic: string | undefined) =>
    mautic === undefined
      ? `Bulk messages from ${domain} through`
      : `Bulk messages of the Mautic ${mautic} from ${domain} through`,
  areHeld: 'are held.',
  aTransport: 'a transport',
  default: 'the default transport',
  transportNumber: (id: number) => `transport ${id}`,
  began: 'It began',
  waiting: (count: number) =>
    `${messages(count)} ${count === 1 ? 'waits' : 'wait'}, and what is added later waits too.`,
  advice: 'Find out why, then continue or cancel.',
  left: (count: number) =>
    `Left: ${messages(count)} being sent, or without a transport yet. The brake holds on; cancel again.`,
  actions: {
    continue: {
      action: 'Continue',
      title: (count: number) => `Continue, and send ${messages(count)}?`,
      effect: (domain: string, transport: string) =>
        `They are sent from ${domain} through ${transport}. The brake counts from here. It holds them again if 20 % or more of at least 50 attempts are refused for good.`,
      done: (count: number) => `Released: ${messages(count)}.`,
    },
    cancel: {
      action: 'Cancel the messages',
      title: (count: number) => `Cancel ${messages(count)}?`,
      effect: (domain: string, transport: string) =>
        `Bulk messages from ${domain} through ${transport} that are in the queue are deleted and never sent, also those that a person holds. Their senders are not notified. Messages that are added later are sent again.`,
      done: (count: number) => `Cancelled: ${messages(count)}.`,
    },
  },
} as const
