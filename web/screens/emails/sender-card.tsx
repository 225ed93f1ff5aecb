import { Card, Show } from '../../design/page.tsx'
import { useData } from '../../lib/use-data.ts'
import { senderHref } from '../../records/sender-domain.ts'
import { findSender, SenderAlignments } from '../../records/senders.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { senderWords } from '../../words/senders.ts'

const text = {
  title: 'Sender',
  unknown: 'It is not known yet which transport sends it. Check it with the published ones.',
} as const

/** How many transports are shown. */
const shownMax = 6

/** Whether receivers will believe the From domain of an email, through each transport that sends this domain. */
export function SenderCard({ domain }: { domain: string }) {
  const loaded = useData(
    async (signal) => (await findSender(domain, signal))?.transports ?? [],
    [domain],
  )
  return (
    <Card title={text.title} tools={<a href={senderHref(domain)}>{alignmentWords.open(domain)}</a>}>
      <Show loaded={loaded}>
        {(transports) =>
          transports.length === 0 ? (
            <p class="quiet">{text.unknown}</p>
          ) : (
            <>
              <SenderAlignments
                rows={transports.slice(0, shownMax).map(({ id, name, verdict, sentence }) => ({
                  name,
                  href: id === null ? undefined : `/transports/${id}`,
                  verdict,
                  sentence,
                }))}
              />
              {transports.length > shownMax && (
                <a href={senderHref(domain)}>{senderWords.more(transports.length - shownMax)}</a>
              )}
            </>
          )
        }
      </Show>
    </Card>
  )
}
