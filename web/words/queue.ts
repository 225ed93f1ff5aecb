import { counted, formatNumber } from './format.ts'
import { labels } from './records.ts'

const messages = (count: number) => counted(count, 'message')

export const queueWords = {
  intro: 'Messages that Mailyard has stored and not sent yet. Each recipient counts.',
  totals: 'By transport',
  messages: 'Messages',
  size: (bytes: string, bytesMax: string) => `${bytes} of ${bytesMax}`,
  empty: 'The queue is empty: nothing waits to be sent.',
  noMatch: 'No queued message matches these filters.',
  searchOn: 'Nothing among the newest messages. Continue with “Older”.',
  nothing: 'No message is in a state in which this is possible.',
  needsFilter:
    'To change many messages at once, filter them first, or use the actions of a transport.',
  noTransports: {
    default: 'Default',
    none: 'Not chosen yet',
    unanswered: 'Waits for Mautic',
  },
  onceAnswered: 'once Mautic answers',
  waitsFor: 'waits for limit',
  labels: {
    ...labels,
    lane: 'Lane',
    oldest: 'Oldest',
    caller: 'Submitted by',
    attempts: 'Attempts',
    expires: 'Given up',
    added: 'Stored',
    nextAttempt: 'Next attempt',
    problem: 'Last answer',
  },
  lanes: { transactional: 'Transactional', bulk: 'Bulk' },
  states: {
    queued: 'Due',
    deferred: 'Deferred',
    sending: 'Being sent',
    held: 'Held',
    uncertain: 'Uncertain',
  },
  stateHelp: {
    queued: 'It is due: it is sent as soon as its transport takes it.',
    deferred:
      'A server or its transport did not take it for now, or its Mautic has not answered yet. It is tried again at its time.',
    sending: 'It is being sent at this moment.',
    held: 'A person or a brake holds it. It waits until it is released.',
    uncertain:
      'It may have arrived: the connection broke after the whole message. A person decides.',
  },
  one: {
    title: (id: number) => `Queued message ${id}`,
    headers: 'Headers',
    recipients: 'Other recipients in the queue',
    lastAnswer: (problem: string) => `Last answer: ${problem}`,
    decide: 'Decide whether it arrived',
    gone: 'It is not in the queue any more: it was sent, or has another outcome.',
  },
  all: 'All that match:',
  actions: {
    retry: {
      verb: 'Retry',
      action: 'Retry now',
      done: 'Due now',
      effect: 'They are sent as soon as possible.',
    },
    hold: {
      verb: 'Hold',
      action: 'Hold',
      done: 'Held',
      effect:
        'They wait until they are released. Messages that arrive later are sent: to hold these, too, filter by a transport and by nothing else.',
      effectOnTransport:
        'All messages of this transport in the queue wait until they are released, also those that arrive later. What is sent while its client waits (direct, hybrid) is not held.',
    },
    release: {
      verb: 'Release',
      action: 'Release',
      done: 'Released',
      effect:
        'They are due at once. Those of a transport that is held wait again: to release it, filter by the transport and by nothing else.',
      effectOnTransport:
        'All messages of this transport are due at once. Those that arrive later are not held any more.',
    },
    cancel: {
      verb: 'Cancel',
      action: 'Cancel messages',
      done: 'Cancelled',
      effect: 'They are deleted and never sent. Their senders are not notified.',
    },
    sendUnanswered: {
      verb: "Send without Mautic's answer",
      action: "Send without Mautic's answer",
      done: 'Due now',
      effect:
        'They are sent with what is known. Where the email is not known, the default transport takes them. The trace says that you have decided it.',
    },
  },
  withNumber: (verb: string, count: number) =>
    `${verb}${verb.includes(' ') ? ':' : ''} ${messages(count)}`,
  confirmOnTransport: (action: string, count: number) =>
    `${action} the transport and ${messages(count)}?`,
  result: (done: string, changed: number, skipped: number) =>
    `${done}: ${messages(changed)}.${skipped === 0 ? '' : ` Not changed, because of their state: ${formatNumber(skipped)}.`}`,
} as const
