import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/common.ts'

const typingPauseMs = 300

/** A search box that searches when typing pauses, or at once on Enter. It follows `value`, the search in the address. */
export function SearchForm({
  value,
  onSearch,
  label = words.search,
}: {
  value: string
  onSearch: (text: string) => void
  /** What is searched; also shown inside the empty box. */
  label?: string
}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  // The filters may change while the timer runs: what it calls then must keep them.
  const latest = useRef(onSearch)
  latest.current = onSearch
  const search = () => {
    if (text === sent.current) return
    sent.current = text
    latest.current(text)
  }
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    const timer = setTimeout(search, typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <input
          class="input"
          type="search"
          aria-label={label}
          placeholder={label}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  )
}
