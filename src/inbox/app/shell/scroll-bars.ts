/** How far the page scrolls in one direction before the bars follow. */
const thresholdPx = 12;
/** Near the top the bars are always shown. */
const topPx = 64;

/** Whether the bars are hidden, and where the page last changed its direction. */
export interface ScrollBarsState {
  readonly areHidden: boolean;
  /** The lowest position since the bars were shown, or the highest since they were hidden. */
  readonly turnPx: number;
}

export const initialScrollBarsState: ScrollBarsState = { areHidden: false, turnPx: 0 };

/** The bars hide when the page scrolls down and show when it scrolls up. */
export function stepScrollBars(state: ScrollBarsState, scrollPx: number): ScrollBarsState {
  if (scrollPx < topPx) return { areHidden: false, turnPx: scrollPx };
  const { areHidden, turnPx } = state;
  const movedPx = areHidden ? turnPx - scrollPx : scrollPx - turnPx;
  if (movedPx > thresholdPx) return { areHidden: !areHidden, turnPx: scrollPx };
  return { areHidden, turnPx: movedPx < 0 ? scrollPx : turnPx };
}

/** Hides and shows the bars as the page scrolls. @returns a function that stops it. */
export function hideBarsOnScroll(): () => void {
  const { dataset } = document.documentElement;
  let state: ScrollBarsState = { ...initialScrollBarsState, turnPx: window.scrollY };
  const follow = () => {
    // Some browsers scroll past the end and back.
    const endPx = document.documentElement.scrollHeight - window.innerHeight;
    state = stepScrollBars(state, Math.min(window.scrollY, endPx));
    if (state.areHidden) dataset['bars'] = 'hidden';
    else delete dataset['bars'];
  };
  addEventListener('scroll', follow, { passive: true });
  return () => {
    removeEventListener('scroll', follow);
    delete dataset['bars'];
  };
}
