"""Addresses of the public pages."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver
from django.urls import path as route
from django.views.decorators.gzip import gzip_page

from webui.site.forms import SignInForm
from webui.site.headers import View, with_policy
from webui.site.views import accounts, bots, games, lists, proof


def path(address: str, view: View, name: str) -> URLPattern:
    """A page: every one has the content policy."""
    return route(address, with_policy(view), name=name)


sign_in = LoginView.as_view(
    template_name="site/sign_in.html", authentication_form=SignInForm, redirect_authenticated_user=True
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", gzip_page(lists.front), "front"),
    path("matches/", lists.matches, "matches"),
    path("matches/<slug:match_id>/", gzip_page(games.match), "match"),
    path("matches/<slug:match_id>/replay.json", gzip_page(games.replay), "replay"),
    path("matches/<slug:match_id>/proof.json", gzip_page(proof.proof), "proof"),
    path("ladder/", lists.ladders, "ladders"),
    path("ladder/<slug:slug>/", lists.ladder, "ladder"),
    path("bots/", lists.bots, "bots"),
    path("bots/<slug:slug>/", bots.bot, "bot"),
    path("sign-up/", accounts.sign_up, "sign-up"),
    path("sign-in/", sign_in, "sign-in"),
    path("sign-out/", LogoutView.as_view(), "sign-out"),
    path("account/bots/", accounts.own_bots, "own-bots"),
    path("account/bots/new/", accounts.new_bot, "new-bot"),
    path("account/bots/<slug:slug>/tokens/", accounts.new_token, "new-token"),
    path("account/bots/<slug:slug>/tokens/<int:token_id>/revoke/", accounts.revoke_token, "revoke-token"),
    path("account/bots/<slug:slug>/state/", accounts.set_state, "bot-state"),
]
