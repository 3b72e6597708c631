// One page that routes by itself: the server hands out files and knows nothing of routes.
export const ssr = false;
