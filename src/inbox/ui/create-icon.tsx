import type { SVGProps } from 'react';

/**
 * 20 px line icons in the text color. Decorative: put the name beside them or on their button.
 *
 * @param path the data of the icon's only path.
 * @param look attributes of the path that differ from those of the other icons.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createIcon(path: string, look?: Pick<SVGProps<SVGPathElement>, 'fill' | 'strokeWidth'>) {
  return function Icon({ size = 20 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d={path} {...look} />
      </svg>
    );
  };
}
