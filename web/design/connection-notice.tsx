import { useEffect, useRef } from 'preact/hooks'
import { connection } from '../lib/connection.ts'
import { words } from '../words/common.ts'

/** Says that the connection is lost, above everything else, and disappears when it is restored. */
export function ConnectionNotice() {
  return connection.isClosed.value ? <LostConnection /> : null
}

function LostConnection() {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => ref.current?.showPopover(), [])
  return (
    <div ref={ref} popover="manual" class="notice lost-connection" data-tone="warn" role="status">
      {words.connectionLost}
    </div>
  )
}
